// Files that were asked for lately: small ones with their content, large ones open. One per worker.
//
// Thread: loop-only
// Owner:  StaticHandler
// Life:   that of the server; an entry lives on while an answer holds it
// Bounds: OpenFileCacheOptions: max entries, memory_max bytes of content, ttl until the next look;
//         an entry has a descriptor for each form that is sent by sendfile(2): its file's, and
//         those of up to 3 siblings
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "http/accept_encoding.h"
#include "http/options.h"
#include "ssxrver/base/clock.h"
#include "ssxrver/base/intrusive_list.h"
#include "ssxrver/base/local_ref.h"
#include "ssxrver/base/string_hash.h"
#include "ssxrver/metrics/counter.h"
#include "ssxrver/sys/unique_fd.h"

namespace ssx::http {

/// What tells one state of a file from another.
struct FileIdentity {
  std::uint64_t device = 0;
  std::uint64_t inode = 0;
  std::uint64_t size = 0;
  std::int64_t modified_ns = 0;
  std::int64_t changed_ns = 0;
  bool operator==(const FileIdentity&) const = default;
};

/// One form of a file, ready to be answered with: as it is, or a sibling that is compressed.
struct Representation {
  ContentCoding coding = ContentCoding::kIdentity;
  FileIdentity identity;
  std::int64_t modified = 0;  ///< seconds, as Last-Modified says it
  std::string content;        ///< the whole file when it is small
  sys::UniqueFd fd;           ///< the open file, unless the content is what is sent
  std::string etag;           ///< quoted; empty when switched off
  std::string fields;         ///< ready-made field lines: of the content, others, those of a 304
  std::size_t others_at = 0;
  std::size_t validators_at = 0;

  [[nodiscard]] bool is_in_memory() const noexcept { return content.size() == size(); }
  [[nodiscard]] std::uint64_t size() const noexcept { return identity.size; }
  /// What the content is: its type and coding.
  [[nodiscard]] std::string_view content_fields() const noexcept {
    return std::string_view(fields).substr(0, others_at);
  }
  /// The others, for a body that holds the content within another type (multipart/byteranges).
  [[nodiscard]] std::string_view other_fields() const noexcept {
    return std::string_view(fields).substr(others_at);
  }
  /// Of a 304: what may have changed, and nothing about the content.
  [[nodiscard]] std::string_view validators() const noexcept {
    return std::string_view(fields).substr(validators_at);
  }
};

/// A file as it is, and the forms that clients may prefer.
struct CachedFile final : LocalShared, ListHook<struct CachedFileAge>, Representation {
  std::string path;                     ///< of the request: the key
  std::vector<Representation> encoded;  ///< in the order of preference; mostly none
  TimePoint checked;                    ///< when all of it was last compared with the disk

  /// The next request looks at the disk, however young the entry is.
  void file_came_short() noexcept override { checked = TimePoint(Duration::min() / 2); }

  /// Bytes of content, of every form.
  [[nodiscard]] std::size_t memory() const noexcept;
};

class FileCache {
 public:
  struct Counters {
    metrics::Counter hits;
    metrics::Counter misses;
    metrics::Counter evicted;
  };

  explicit FileCache(const OpenFileCacheOptions& options) : options_(options) {}
  ~FileCache();

  /// The entry, and whether it is time to look at the disk again. Null: unknown.
  [[nodiscard]] CachedFile* find(std::string_view path) noexcept;
  [[nodiscard]] bool is_fresh(const CachedFile& file, TimePoint now) const noexcept {
    return now - file.checked < Duration(options_.ttl);
  }
  /// Keeps the entry in place of one of the same path; the oldest make room. With max 0 nothing
  /// stays.
  void insert(const LocalRef<CachedFile>& file);
  void erase(std::string_view path);

  [[nodiscard]] std::size_t size() const noexcept { return files_.size(); }
  [[nodiscard]] std::size_t memory() const noexcept { return memory_; }
  [[nodiscard]] const Counters& counters() const noexcept { return counters_; }

 private:
  using Map = std::unordered_map<std::string, LocalRef<CachedFile>, StringHash, std::equal_to<>>;

  void remove(Map::iterator at);
  void evict_oldest();

  const OpenFileCacheOptions options_;
  Map files_;
  IntrusiveList<CachedFile, CachedFileAge> by_age_;  ///< used longest ago first
  std::size_t memory_ = 0;
  Counters counters_;
};

}  // namespace ssx::http
