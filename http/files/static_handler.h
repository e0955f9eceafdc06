// Serves the files below a directory.
//
// Thread: answer() is called on every worker; each has a cache of its own
// Owner:  the Router (through the Handler)
// Life:   that of the route; its caches end on their loops
// Bounds: StaticOptions
//
// The file's name is the rest that the route's `*` matched, or the whole path for a route without.
// "/dir" is redirected to "/dir/", which is answered with the first index file that is there, or
// with the list of what is in it where `autoindex` is on. Segments that begin with a dot are not
// served, but for "/.well-known/" (RFC 8615). What is not there may be something else: the next of
// `try_files`, then `spa_fallback`.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "http/files/file_cache.h"
#include "http/files/file_loader.h"
#include "http/handler.h"
#include "http/options.h"
#include "ssxrver/base/result.h"
#include "ssxrver/metrics/counter.h"
#include "ssxrver/net/loop_owned.h"

namespace ssx::http {

class StaticHandler {
 public:
  /// Limits that were met, per worker.
  struct Counters {
    metrics::Counter ranges_max_hit;     ///< answered as if no range had been asked for
    metrics::Counter autoindex_max_hit;  ///< lists that were cut
  };

  /// An error when `root` is no directory that can be read.
  static Result<std::unique_ptr<StaticHandler>> create(const StaticOptions& options);

  [[nodiscard]] Response answer(const Request& request);
  /// The same with a file that somebody else has chosen: `path` is below the root, and no folder.
  [[nodiscard]] Response answer_with(const Request& request, std::string_view path);

  [[nodiscard]] const Counters& counters(std::uint32_t worker) { return of(worker).counters; }
  [[nodiscard]] const FileCache& cache(std::uint32_t worker) { return of(worker).cache; }

 private:
  static constexpr std::size_t kWorkersMax = 1024;

  struct alignas(64) Worker {
    explicit Worker(const OpenFileCacheOptions& options) : cache(options) {}
    FileCache cache;
    Counters counters;
  };
  /// One request on its way to a file.
  struct Search;

  StaticHandler(const StaticOptions& options, FileLoader loader)
      : options_(options), loader_(std::move(loader)) {}

  [[nodiscard]] Worker& of(std::uint32_t worker);

  // Each gives nothing when there is no such file.
  std::optional<Response> try_all(Search& search);
  CachedFile* fresh_file(Search& search, std::string_view path);
  std::optional<Response> find(Search& search, std::string_view path);
  std::optional<Response> look_up(Search& search, std::string_view path, CachedFile* known);
  std::optional<Response> answer_folder(Search& search, const std::string& name,
                                        const RootDirectory::File& folder);
  std::optional<Response> refuse(Search& search, std::string_view path, const Error& error);

  Result<RootDirectory::File> open_index(std::string& name) const;
  Response respond(Search& search, const LocalRef<CachedFile>& file);
  [[nodiscard]] Response answer_whole(const LocalRef<CachedFile>& file,
                                      const Representation& form) const;
  std::optional<Response> answer_range(Search& search, const LocalRef<CachedFile>& file,
                                       const Representation& form);
  [[nodiscard]] Response list(Search& search, const std::string& name,
                              const RootDirectory::File& folder);

  const StaticOptions options_;
  const FileLoader loader_;
  std::array<net::LoopOwned<Worker>, kWorkersMax> workers_;  ///< each its worker's own
};

/// StaticHandler::create() as a Handler.
Result<Handler> make_static_handler(const StaticOptions& options);

}  // namespace ssx::http
