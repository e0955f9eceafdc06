#include "http/files/static_handler.h"

#include <cerrno>
#include <chrono>
#include <utility>

#include "http/files/conditional.h"
#include "http/files/listing.h"
#include "http/files/partial.h"
#include "http/files/range.h"
#include "ssxrver/base/log.h"
#include "ssxrver/base/strings.h"
#include "ssxrver/net/event_loop.h"

namespace ssx::http {
namespace {

constexpr std::string_view kUri = "$uri";

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
    hidden = hidden || is_hidden_name(segment);
  });
  return hidden;
}

std::string_view without_slash(std::string_view path) noexcept {
  return path.substr(path.starts_with('/') ? 1 : 0);
}

// "$uri.html" for "a/b" is "a/b.html"; "$uri/" for "a/" is "a/".
std::string expand(std::string_view pattern, std::string_view path) {
  if (!pattern.starts_with(kUri)) return std::string(without_slash(pattern));
  pattern.remove_prefix(kUri.size());
  const bool is_folder = path.empty() || path.ends_with('/');
  if (is_folder) pattern = without_slash(pattern);
  return std::string(path).append(pattern);
}

// What looks like a file ("/app.js") and is not there is missing; the rest may be a page of the
// application.
bool looks_like_a_page(std::string_view path) noexcept {
  return path.substr(path.rfind('/') + 1).find('.') == std::string_view::npos;
}

Response log_failure(std::string_view path, const Error& error) {
  SSX_LOG_RATED(ERROR, std::chrono::seconds(1), "file \"{}\": {}", path, error.message());
  return status_of_errno(error);
}

Response redirect_to_directory(const Request& request) {
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

const Representation& choose(const CachedFile& file, const Request& request) noexcept {
  if (file.encoded.empty()) return file;
  const AcceptEncoding accept = AcceptEncoding::of(request.fields());
  const Representation* chosen = &file;
  for (const Representation& form : file.encoded) {
    const bool is_better =
        chosen == &file || accept.weight(form.coding) > accept.weight(chosen->coding);
    if (accept.prefers(form.coding) && is_better) chosen = &form;
  }
  return *chosen;
}

std::int64_t wall_seconds() noexcept {
  const auto wall = net::EventLoop::current()->clock().wall_now().time_since_epoch();
  return std::chrono::floor<std::chrono::seconds>(wall).count();
}

}  // namespace

struct StaticHandler::Search {
  const Request& request;
  Worker& worker;
  TimePoint now;
  std::string_view path;   ///< below the root, as the request has it
  bool is_chosen = false;  ///< `path` is not the request's
};

Result<std::unique_ptr<StaticHandler>> StaticHandler::create(const StaticOptions& options) {
  SSX_TRY(FileLoader loader, FileLoader::create(options));
  return std::unique_ptr<StaticHandler>(new StaticHandler(options, std::move(loader)));
}

StaticHandler::Worker& StaticHandler::of(std::uint32_t worker) {
  return workers_.at(worker).get(options_.open_file_cache);
}

Response StaticHandler::answer(const Request& request) {
  if (request.method() != Method::kGet && request.method() != Method::kHead) {
    return std::move(Response(Status::kMethodNotAllowed).set("Allow", "GET, HEAD, OPTIONS"));
  }
  const std::string_view rest = request.param("rest");
  const std::string_view path = rest.data() == nullptr ? request.path().substr(1) : rest;
  Search search{request, of(request.worker()), net::EventLoop::current()->now(), path};
  // Mostly; an answer that is not moved about is a tenth cheaper.
  if (options_.try_files.empty()) {
    if (CachedFile* const fresh = fresh_file(search, path)) return respond(search, LocalRef(fresh));
  }
  auto found = options_.try_files.empty() ? find(search, path) : try_all(search);
  if (found) return *std::move(found);
  const bool may_fall_back = !options_.spa_fallback.empty() && looks_like_a_page(path) &&
                             (options_.allow_dotfiles || !has_hidden_segment(path));
  if (may_fall_back) found = find(search, without_slash(options_.spa_fallback));
  return found ? *std::move(found) : Response(Status::kNotFound);
}

Response StaticHandler::answer_with(const Request& request, std::string_view path) {
  Search search{request, of(request.worker()), net::EventLoop::current()->now(), path, true};
  auto found = find(search, path);
  return found ? *std::move(found) : Response(Status::kNotFound);
}

std::optional<Response> StaticHandler::try_all(Search& search) {
  for (const std::string& pattern : options_.try_files) {
    if (pattern.starts_with('=')) {
      return Response(static_cast<Status>(parse_uint(pattern.substr(1)).value_or(404)));
    }
    auto found =
        pattern == kUri ? find(search, search.path) : find(search, expand(pattern, search.path));
    if (found) return found;
  }
  return std::nullopt;
}

/// Null when the disk has to be asked.
CachedFile* StaticHandler::fresh_file(Search& search, std::string_view path) {
  CachedFile* const cached = search.worker.cache.find(path);
  const bool is_fresh = cached != nullptr && search.worker.cache.is_fresh(*cached, search.now);
  return is_fresh ? cached : nullptr;
}

std::optional<Response> StaticHandler::find(Search& search, std::string_view path) {
  if (CachedFile* const fresh = fresh_file(search, path)) return respond(search, LocalRef(fresh));
  if (!options_.allow_dotfiles && has_hidden_segment(path)) return std::nullopt;
  return look_up(search, path, search.worker.cache.find(path));
}

/// `known`: what the cache has, to be compared with the disk; null when it has nothing.
std::optional<Response> StaticHandler::look_up(Search& search, std::string_view path,
                                               CachedFile* known) {
  std::string name(path);
  auto found = loader_.root().open_file(name);
  if (found && is_directory(found->facts)) {
    if (search.is_chosen) return std::nullopt;
    if (!path.empty() && !path.ends_with('/')) {
      if (!options_.try_files.empty()) return std::nullopt;  // "$uri/" is for those
      return redirect_to_directory(search.request);
    }
    const bool is_asked_without_slash =
        path.size() == search.path.size() + 1 && path.starts_with(search.path) && path.size() > 1;
    if (is_asked_without_slash) return redirect_to_directory(search.request);
    auto index = open_index(name);
    if (!index && index.error().is_errno(ENOENT)) {
      search.worker.cache.erase(path);
      return answer_folder(search, name, *found);
    }
    found = std::move(index);
  } else if (found && path.ends_with('/')) {
    found = fail_errno(ENOTDIR, "open");
  }
  if (!found) return refuse(search, path, found.error());
  if (known != nullptr && loader_.is_current(*known, name, found->facts)) {
    known->checked = search.now;
    return respond(search, LocalRef(known));
  }
  auto loaded = loader_.load(path, name, *std::move(found), search.now);
  if (!loaded) return refuse(search, path, loaded.error());
  search.worker.cache.insert(*loaded);
  return respond(search, *loaded);
}

/// Tries the index files of directory `name`, and makes `name` the one that is there; ENOENT when
/// there is none. One that cannot be opened is not missing: what is wrong with it is the answer.
Result<RootDirectory::File> StaticHandler::open_index(std::string& name) const {
  for (const std::string& index : options_.index) {
    std::string candidate = name + index;
    auto found = loader_.root().open_file(candidate);
    const bool is_missing =
        found ? is_directory(found->facts) : status_of_errno(found.error()) == Status::kNotFound;
    if (is_missing) continue;
    name = std::move(candidate);
    return found;
  }
  return fail_errno(ENOENT, "index");
}

/// A folder without an index.
std::optional<Response> StaticHandler::answer_folder(Search& search, const std::string& name,
                                                     const RootDirectory::File& folder) {
  if (options_.autoindex) return list(search, name, folder);
  const bool is_elsewhere = !options_.try_files.empty() || !options_.spa_fallback.empty();
  if (!options_.index.empty() || is_elsewhere) return std::nullopt;
  return Status::kForbidden;
}

Response StaticHandler::list(Search& search, const std::string& name,
                             const RootDirectory::File& folder) {
  auto listing = loader_.root().list(name, folder, options_.autoindex_max);
  if (!listing) return log_failure(name, listing.error());
  if (listing->is_cut) search.worker.counters.autoindex_max_hit.add();
  tidy_listing(*listing, options_.allow_dotfiles);
  const ListingTitle title{search.request.path(), !name.empty()};
  const bool wants_json = search.request.query("format") == "json";
  Response answer = wants_json ? Response::json(make_json_listing(title, *listing))
                               : Response::html(make_html_listing(title, *listing));
  answer.set("X-Content-Type-Options", "nosniff");
  return answer;
}

Response StaticHandler::respond(Search& search, const LocalRef<CachedFile>& file) {
  const Request& request = search.request;
  const Fields& fields = request.fields();
  const Representation& form = choose(*file, request);
  const Validators current{form.etag, form.modified};
  if (options_.etag) {
    const Precondition decision = evaluate(fields, request.method(), current);
    if (decision == Precondition::kFailed) return Status::kPreconditionFailed;
    if (decision == Precondition::kNotModified) {
      Response unchanged = Response::kept({}, file);
      unchanged.status(Status::kNotModified).prepared_fields(form.validators());
      return unchanged;
    }
  }
  // Range is for GET alone (RFC 9110 14.2).
  if (fields.contains(FieldName::kRange) && options_.range && request.method() == Method::kGet) {
    if (auto partial = answer_range(search, file, form)) return *std::move(partial);
  }
  return answer_whole(file, form);
}

// By itself, so that it is made where the caller wants it.
Response StaticHandler::answer_whole(const LocalRef<CachedFile>& file,
                                     const Representation& form) const {
  Response whole = form.is_in_memory()
                       ? Response::kept(form.content, file, form.fd.get())
                       : Response::file({form.fd.get(), 0, form.size(), file, options_.sendfile});
  whole.content_type({}).prepared_fields(form.fields);
  return whole;
}

/// Nothing: the whole is the answer.
std::optional<Response> StaticHandler::answer_range(Search& search,
                                                    const LocalRef<CachedFile>& file,
                                                    const Representation& form) {
  const Fields& fields = search.request.fields();
  const std::size_t at = fields.next(FieldName::kRange, 0);
  const bool is_one_line = fields.next(FieldName::kRange, at + 1) == fields.size();
  if (!is_one_line || !if_range_holds(fields, {form.etag, form.modified}, wall_seconds()))
    return std::nullopt;
  const RangeSet asked = parse_range(fields[at].value, form.size(), options_.ranges_max);
  switch (asked.verdict()) {
    case RangeSet::Verdict::kWhole:
      return std::nullopt;
    case RangeSet::Verdict::kTooMany:
      search.worker.counters.ranges_max_hit.add();
      return std::nullopt;
    case RangeSet::Verdict::kPartial:
    case RangeSet::Verdict::kUnsatisfiable:
      break;
  }
  return make_partial(form, file, asked, options_.sendfile);
}

std::optional<Response> StaticHandler::refuse(Search& search, std::string_view path,
                                              const Error& error) {
  if (!is_shortage(error)) search.worker.cache.erase(path);
  if (status_of_errno(error) == Status::kNotFound) return std::nullopt;
  return log_failure(path, error);
}

Result<Handler> make_static_handler(const StaticOptions& options) {
  SSX_TRY(std::shared_ptr<StaticHandler> handler, StaticHandler::create(options));
  return Handler([handler](const Request& request) { return handler->answer(request); });
}

}  // namespace ssx::http
