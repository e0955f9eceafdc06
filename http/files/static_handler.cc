#include "http/files/static_handler.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <memory>
#include <string>
#include <utility>

#include "http/date.h"
#include "http/files/conditional.h"
#include "http/files/file_cache.h"
#include "http/files/mime_types.h"
#include "http/files/root_directory.h"
#include "ssxrver/base/log.h"
#include "ssxrver/base/strings.h"
#include "ssxrver/net/event_loop.h"

namespace ssx::http {
namespace {

constexpr std::size_t kWorkersMax = 1024;

std::int64_t to_ns(const timespec& time) noexcept {
  return std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

FileIdentity identity_of(const struct stat& facts) noexcept {
  return {facts.st_dev, facts.st_ino, static_cast<std::uint64_t>(facts.st_size),
          to_ns(facts.st_mtim), to_ns(facts.st_ctim)};
}

bool is_directory(const struct stat& facts) noexcept { return (facts.st_mode & S_IFMT) == S_IFDIR; }

// It may be gone in a moment, and says nothing about the file.
bool is_shortage(const Error& error) noexcept {
  for (const int shortage : {EMFILE, ENFILE, ENOMEM, EAGAIN}) {
    if (error.is_errno(shortage)) return true;
  }
  return false;
}

Status status_of_errno(const Error& error) noexcept {
  for (const int missing : {ENOENT, ENOTDIR, ELOOP, EXDEV, ENAMETOOLONG, ENXIO, EISDIR}) {
    if (error.is_errno(missing)) return Status::kNotFound;
  }
  if (error.is_errno(EACCES) || error.is_errno(EPERM)) return Status::kForbidden;
  return is_shortage(error) ? Status::kServiceUnavailable : Status::kInternalServerError;
}

bool has_hidden_segment(std::string_view path) {
  bool hidden = false;
  for_each_part(path, '/', [&hidden](std::string_view segment) {
    hidden = hidden || (segment.starts_with('.') && segment != ".well-known");
  });
  return hidden;
}

Result<std::string> read_whole(int fd, std::uint64_t size) {
  std::string content(static_cast<std::size_t>(size), '\0');
  std::size_t filled = 0;
  while (filled < content.size()) {
    SSX_TRY(const std::size_t count,
            sys::pread(fd, std::as_writable_bytes(std::span(content)).subspan(filled), filled));
    if (count == 0) break;  // became shorter: the next look at it will tell
    filled += count;
  }
  content.resize(filled);
  return content;
}

class StaticHandler {
 public:
  StaticHandler(const StaticOptions& options, RootDirectory root)
      : options_(options), root_(std::move(root)), types_(options.mime) {}

  Response answer(const Request& request) {
    if (request.method() != Method::kGet && request.method() != Method::kHead) {
      return std::move(Response(Status::kMethodNotAllowed).set("Allow", "GET, HEAD, OPTIONS"));
    }
    const std::string_view rest = request.param("rest");
    const std::string_view path = rest.data() == nullptr ? request.path().substr(1) : rest;
    FileCache& cache = cache_of(request.worker());
    const TimePoint now = net::EventLoop::current()->now();
    CachedFile* cached = cache.find(path);
    if (cached != nullptr && cache.is_fresh(*cached, now))
      return respond(request, LocalRef(cached));
    if (!options_.allow_dotfiles && has_hidden_segment(path)) return Status::kNotFound;
    return look_up(request, path, cached, now);
  }

 private:
  FileCache& cache_of(std::uint32_t worker) {
    auto& cache = caches_.at(worker);
    if (cache == nullptr) cache = std::make_unique<FileCache>(options_.open_file_cache);
    return *cache;
  }

  /// `known`: what the cache has, to be compared with the disk; null when it has nothing.
  Response look_up(const Request& request, std::string_view path, CachedFile* known,
                   TimePoint now) {
    FileCache& cache = cache_of(request.worker());
    std::string name(path);
    auto found = root_.open_file(name);
    if (found && is_directory(found->facts)) {
      if (!path.empty() && !path.ends_with('/')) return redirect_to_directory(request);
      found = open_index(name);
    } else if (found && path.ends_with('/')) {
      found = fail_errno(ENOTDIR, "open");
    }
    if (!found) {
      if (!is_shortage(found.error())) cache.erase(path);
      return refuse(path, found.error());
    }
    if (known != nullptr && known->identity == identity_of(found->facts)) {
      known->checked = now;
      return respond(request, LocalRef(known));
    }
    auto loaded = load(path, name, *std::move(found), now);
    if (!loaded) return refuse(path, loaded.error());
    cache.insert(*loaded);
    return respond(request, *loaded);
  }

  /// Tries the index files of directory `name`, and makes `name` the one that is there. One that
  /// cannot be opened is not missing: what is wrong with it is the answer.
  Result<RootDirectory::File> open_index(std::string& name) const {
    for (const std::string& index : options_.index) {
      std::string candidate = name + index;
      auto found = root_.open_file(candidate);
      const bool is_missing =
          found ? is_directory(found->facts) : status_of_errno(found.error()) == Status::kNotFound;
      if (is_missing) continue;
      name = std::move(candidate);
      return found;
    }
    return fail_errno(options_.index.empty() ? EACCES : ENOENT, "index");
  }

  Result<LocalRef<CachedFile>> load(std::string_view path, std::string_view name,
                                    RootDirectory::File opened, TimePoint now) const {
    LocalRef<CachedFile> file(new CachedFile);
    file->path = path;
    file->identity = identity_of(opened.facts);
    file->modified = opened.facts.st_mtim.tv_sec;
    file->checked = now;
    const OpenFileCacheOptions& cache = options_.open_file_cache;
    if (file->size() <= std::min(cache.small_file_max, cache.memory_max)) {
      SSX_TRY(file->content, read_whole(opened.fd.get(), file->size()));
      file->identity.size = file->content.size();
    } else {
      file->fd = std::move(opened.fd);
    }
    if (options_.etag) {
      file->etag = fmt::format("\"{:x}-{:x}\"", file->identity.modified_ns, file->size());
      const DateText date = format_date(file->modified);
      file->validators = fmt::format("Last-Modified: {}\r\nETag: {}\r\n", view(date), file->etag);
    }
    file->fields = fmt::format("Content-Type: {}\r\n{}", types_.of(name), file->validators);
    return file;
  }

  Response respond(const Request& request, const LocalRef<CachedFile>& file) const {
    if (options_.etag && is_not_modified(request, file->etag, file->modified)) {
      Response unchanged = Response::kept({}, file);
      unchanged.status(Status::kNotModified).prepared_fields(file->validators);
      return unchanged;
    }
    Response whole =
        file->is_in_memory()
            ? Response::kept(file->content, file)
            : Response::file({file->fd.get(), 0, file->size(), file, options_.sendfile});
    whole.content_type({}).prepared_fields(file->fields);
    return whole;
  }

  static Response redirect_to_directory(const Request& request) {
    std::string location(request.target().substr(0, request.target().find('?')));
    if (!location.starts_with('/')) {  // absolute-form: a path follows, or this was no directory
      location.erase(0, location.find('/', location.find("://") + 3));
    }
    // "//host/" would be another server's.
    while (location.starts_with("//")) location.erase(0, 1);
    location += '/';
    if (!request.query().empty()) location.append("?").append(request.query());
    Response moved(Status::kMovedPermanently);
    moved.set("Location", location);
    return moved;
  }

  static Response refuse(std::string_view path, const Error& error) {
    const Status status = status_of_errno(error);
    if (status != Status::kNotFound) {
      SSX_LOG_RATED(ERROR, std::chrono::seconds(1), "file \"{}\": {}", path, error.message());
    }
    return status;
  }

  const StaticOptions options_;
  const RootDirectory root_;
  const MimeTypes types_;
  std::array<std::unique_ptr<FileCache>, kWorkersMax> caches_;  ///< each its worker's own
};

}  // namespace

Result<Handler> make_static_handler(const StaticOptions& options) {
  SSX_TRY(RootDirectory root, RootDirectory::open(options.root, options.follow_symlinks));
  auto handler = std::make_shared<StaticHandler>(options, std::move(root));
  return Handler([handler](const Request& request) { return handler->answer(request); });
}

}  // namespace ssx::http
