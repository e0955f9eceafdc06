// Reads files below a root and makes them ready to be answered with: their content or an open
// descriptor, their field lines, and their compressed siblings.
//
// Thread: immutable once built
// Owner:  StaticHandler
// Life:   that of the server
// Bounds: OpenFileCacheOptions::small_file_max bytes are read; at most 3 siblings
//
// A sibling is the file's name with ".br", ".gz" or ".zst" behind it (`precompressed`). It counts
// when it is a regular file that is not older than the file itself: an older one was made of what
// the file used to hold, so it is left alone as if it were not there.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "http/files/file_cache.h"
#include "http/files/mime_types.h"
#include "http/files/root_directory.h"
#include "http/options.h"
#include "ssxrver/base/result.h"

namespace ssx::http {

[[nodiscard]] FileIdentity identity_of(const struct stat& facts) noexcept;

class FileLoader {
 public:
  /// An error when `root` is no directory that can be read; EINVAL for an unknown word in
  /// `precompressed`, and for a text that is no value of a field.
  static Result<FileLoader> create(const StaticOptions& options);

  [[nodiscard]] const RootDirectory& root() const noexcept { return root_; }

  /// `key` names the entry, `name` the file that `opened` is.
  [[nodiscard]] Result<LocalRef<CachedFile>> load(std::string_view key, const std::string& name,
                                                  RootDirectory::File opened, TimePoint now) const;
  /// `file` and its siblings are what they were when it was loaded.
  [[nodiscard]] bool is_current(const CachedFile& file, const std::string& name,
                                const struct stat& facts) const;

 private:
  struct Encoding {
    ContentCoding coding;
    std::string extension;  ///< ".gz"
  };
  struct Sibling {
    ContentCoding coding;
    RootDirectory::File opened;
  };

  FileLoader(const StaticOptions& options, RootDirectory root)
      : options_(options), root_(std::move(root)), types_(options.mime) {}

  [[nodiscard]] std::vector<Sibling> siblings_of(const std::string& name,
                                                 const FileIdentity& file) const;
  Result<void> fill(Representation& form, RootDirectory::File opened, std::size_t memory_max) const;
  void write_fields(Representation& form, std::string_view name, bool varies) const;

  StaticOptions options_;
  RootDirectory root_;
  MimeTypes types_;
  std::vector<Encoding> encodings_;
};

}  // namespace ssx::http
