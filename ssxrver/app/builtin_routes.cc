#include "ssxrver/app/builtin_routes.h"

#include <fmt/core.h>

#include <algorithm>
#include <cerrno>
#include <memory>
#include <utility>

#include "http/files/static_handler.h"
#include "http/route_pattern.h"
#include "http/target_template.h"
#include "ssxrver/app/configured_route.h"
#include "ssxrver/app/websocket_routes.h"
#include "ssxrver/sys/file.h"

namespace ssx {
namespace {

using http::Handler;
using http::Method;
using http::Request;
using http::Response;

/// Keeps a body's file open until the answer that repeats it has left.
struct KeptFile final : LocalShared {
  explicit KeptFile(sys::UniqueFd held) : fd(std::move(held)) {}
  const sys::UniqueFd fd;
};

/// The same bytes each time, checked and put together once.
struct PermanentAnswer {
  explicit PermanentAnswer(const http::AnswerOptions& options)
      : status(static_cast<http::Status>(options.status)), body(options.body) {
    if (!body.empty() && !http::forbids_content(status))
      fields = fmt::format("Content-Type: {}\r\n", options.content_type);
  }
  const http::Status status;
  const std::string body;
  std::string fields;
};

Handler text_handler(const http::AnswerOptions& options) {
  const auto answer = std::make_shared<const PermanentAnswer>(options);
  return [answer](const Request&) {
    Response response = Response::permanent(answer->body);
    response.status(answer->status).content_type({}).prepared_fields(answer->fields);
    return response;
  };
}

// A plain status; the body of a route that gives none is the page that every error has.
Handler status_handler(const http::AnswerOptions& options) {
  if (!options.body.empty()) return text_handler(options);
  return [status = static_cast<http::Status>(options.status)](const Request&) {
    return Response(status);
  };
}

Response echo(const Request& request) {
  const http::Body& body = request.body();
  Response response(body.text);
  if (body.is_spooled()) {
    auto copy = sys::duplicate(body.file);
    if (!copy) return http::Status::kServiceUnavailable;
    const LocalRef<KeptFile> kept(new KeptFile(*std::move(copy)));
    response = Response::file({kept->fd.get(), 0, body.size, kept});
  }
  const auto type = request.header(http::FieldName::kContentType);
  if (type) response.set("Content-Type", *type);
  return response;
}

UnexpectedOf<StartupError> refuse(const RouteOptions& route, std::string_view what) {
  return fail_start(ExitCode::kConfig, fmt::format("route \"{}\": {}", route.match, what));
}

StartupResult<Handler> redirect_handler(const RouteOptions& route) {
  using http::TargetTemplate;
  const auto pattern = http::RoutePattern::parse(route.match);
  const auto names = pattern ? pattern->names() : std::vector<std::string>();
  auto to = TargetTemplate::parse(route.to, names, TargetTemplate::Kind::kUrl);
  if (!to) return refuse(route, fmt::format("\"to\": {}", to.error().text()));
  const auto target = std::make_shared<const TargetTemplate>(*std::move(to));
  const auto status = static_cast<http::Status>(route.answer.status);
  return Handler([target, status](const Request& request) {
    const auto value_of = [&request](std::string_view name) { return request.param(name); };
    std::string location;
    target->expand(location, value_of, request.query());
    return Response::redirect(location, status);
  });
}

StartupError no_root(const std::string& root, const Error& error) {
  const std::string what = error.is_errno(ENOENT)    ? "does not exist"
                           : error.is_errno(ENOTDIR) ? "is not a directory"
                           : error.is_errno(EACCES)  ? "may not be read by this user"
                                                     : error.code().message();
  return {ExitCode::kNoInput,
          fmt::format(
              "root_path \"{}\" {}: create it, or set http.root_path to the folder with the files",
              root, what)};
}

StartupResult<Handler> make_handler(App& app, const RouteOptions& route) {
  if (!Response().content_type(route.answer.content_type).bad_field().empty()) {
    return fail_start(ExitCode::kConfig,
                      fmt::format("route \"{}\": this is no content_type", route.match));
  }
  if (route.handler == "text") return text_handler(route.answer);
  if (route.handler == "status") return status_handler(route.answer);
  if (route.handler == "echo") return Handler(echo);
  if (route.handler == "redirect") return redirect_handler(route);
  if (route.handler == "static") {
    auto handler = http::make_static_handler(route.files);
    if (!handler) return tl::unexpected(no_root(route.files.root, handler.error()));
    return *std::move(handler);
  }
  if (auto handler = make_websocket_handler(app, route)) return *std::move(handler);
  return fail_start(ExitCode::kConfig, fmt::format("route \"{}\": no handler is called \"{}\"",
                                                   route.match, route.handler));
}

std::vector<Method> methods_of(const RouteOptions& route) {
  std::vector<Method> methods;
  methods.reserve(route.methods.size() + 1);
  for (const std::string& name : route.methods) methods.push_back(http::parse_method(name));
  const bool is_get = route.handler == "static" || route.handler.starts_with("websocket:");
  if (methods.empty() && is_get) methods.push_back(Method::kGet);
  return methods;
}

}  // namespace

StartupResult<void> add_route(App& app, const RouteOptions& route) {
  if (route.handler == "rewrite") {
    app.rewrite(methods_of(route), route.match, route.to, route.host);
    return {};
  }
  auto handler = make_handler(app, route);
  if (!handler) return tl::unexpected(std::move(handler).error());
  auto surrounded = surround(app, route);
  if (!surrounded) return tl::unexpected(std::move(surrounded).error());
  RouteSettings settings = settings_of(route);
  settings.middleware = *std::move(surrounded);
  app.route(methods_of(route), route.match, *std::move(handler), std::move(settings));
  return {};
}

}  // namespace ssx
