// Files below a directory, for handlers to answer with: with preconditions, ranges, compressed
// siblings and the cache of open files, as the built-in route `static` has them.
//
// Thread: any worker; each has a cache of its own
// Owner:  whoever keeps a copy; copies are the same files
// Life:   that of the server
// Bounds: StaticOptions
//
//   app.get("/reports/{id}", [files = *Files::open({.root = "/srv/reports"})](const Request& r) {
//     if (!may_read(r)) return Response(Status::kForbidden);
//     return files.answer(r, std::string(r.param("id")) + ".pdf");
//   });
#pragma once

#include <memory>
#include <string_view>

#include "http/files/static_handler.h"

namespace ssx::http {

class Files {
 public:
  /// An error when `root` is no directory that can be read. Of the options, those that choose a
  /// file by the path of the request (`index`, `autoindex`, `try_files`, `spa_fallback`) do nothing
  /// here.
  static Result<Files> open(const StaticOptions& options);

  /// The file `path` below the root, e.g. "2026/july.pdf"; 404 when there is none, whatever `path`
  /// tries to leave the root with. Fields of one's own may be added to the answer.
  [[nodiscard]] Response answer(const Request& request, std::string_view path) const {
    return handler_->answer_with(request, path);
  }

 private:
  explicit Files(std::shared_ptr<StaticHandler> handler) noexcept : handler_(std::move(handler)) {}

  std::shared_ptr<StaticHandler> handler_;
};

}  // namespace ssx::http
