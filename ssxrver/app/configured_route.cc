#include "ssxrver/app/configured_route.h"

#include <fmt/core.h>

#include <utility>

#include "http/auth_file.h"
#include "http/middleware/basic_auth.h"
#include "http/middleware/bearer_token.h"
#include "http/middleware/htpasswd_auth.h"
#include "http/middleware/rate_limit.h"
#include "http/middleware/request_id.h"
#include "http/middleware/security_headers.h"

namespace ssx {
namespace {

using http::Middleware;

UnexpectedOf<StartupError> refuse(const RouteOptions& route, std::string_view what) {
  return fail_start(ExitCode::kConfig, fmt::format("route \"{}\": {}", route.match, what));
}

StartupResult<Middleware> make_middleware(const RouteOptions& route, std::string_view name) {
  if (name == "request_id") return http::request_id();
  if (name == "security_headers") return http::security_headers();
  return refuse(route, fmt::format("no middleware is called \"{}\"", name));
}

StartupResult<Middleware> make_htpasswd_auth(App& app, const RouteOptions& route,
                                             http::AuthFile::Entries entries) {
  if (app.options().tasks.threads == 0) {
    return refuse(route,
                  fmt::format("\"{}\": line {}: a hash of this kind needs a task thread",
                              http::AuthFile::path_of(route.around.auth), entries.slow_line));
  }
  auto made = http::htpasswd_auth({.users = std::move(entries.users)},
                                  [&app]() -> net::TaskPool& { return app.tasks(); });
  if (!made) return refuse(route, made.error().message());
  return *std::move(made);
}

StartupResult<Middleware> make_auth(App& app, const RouteOptions& route) {
  auto entries = http::AuthFile::load(route.around.auth);
  if (!entries) return refuse(route, entries.error());
  if (!entries->tokens.empty()) return http::bearer_token(entries->tokens);
  if (entries->slow_line != 0) return make_htpasswd_auth(app, route, *std::move(entries));
  auto made = http::basic_auth({.users = std::move(entries->users)});
  if (!made) return refuse(route, made.error().where());
  return *std::move(made);
}

}  // namespace

RouteSettings settings_of(const RouteOptions& route) {
  const http::RouteTimeouts& timeouts = route.timeouts;
  return {.run_on = route.run_on_tasks ? RunOn::kTasks : RunOn::kLoop,
          .host = route.host,
          .body_max = route.body_max,
          .body_timeout = timeouts.body,
          .body_min_rate = timeouts.body_min_rate,
          .body_min_rate_grace = timeouts.body_min_rate_grace,
          .write_timeout = timeouts.write,
          .write_min_rate = timeouts.write_min_rate,
          .write_min_rate_grace = timeouts.write_min_rate_grace,
          .handler_timeout = timeouts.handler};
}

// Whoever asks too often is turned away before his password is looked at.
StartupResult<std::vector<Middleware>> surround(App& app, const RouteOptions& route) {
  std::vector<Middleware> chain;
  for (const std::string& name : route.around.middleware) {
    auto made = make_middleware(route, name);
    if (!made) return tl::unexpected(std::move(made).error());
    chain.push_back(*std::move(made));
  }
  if (route.around.rate_limit.events > 0) {
    auto made = http::rate_limit({.rate = route.around.rate_limit});
    if (!made) return refuse(route, made.error().message());
    chain.push_back(*std::move(made));
  }
  if (!route.around.auth.empty()) {
    auto made = make_auth(app, route);
    if (!made) return tl::unexpected(std::move(made).error());
    chain.push_back(*std::move(made));
  }
  return chain;
}

}  // namespace ssx
