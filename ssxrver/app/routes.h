// The verbs by which routes are added: to an App, to a set of routes, or to a group of either.
//
// Thread: one at a time; to an App before it runs
// Owner:  the App, or the RouteSet
// Life:   -
// Bounds: 65535 different http::RouteLimits over the life of an App
//
//   auto api = app.group("/api", {.middleware = {http::bearer_token(check)}});
//   api.get("/users/{id}", show_user);
//   api.post("/users", add_user, {.body_max = 4096});
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "http/handler.h"
#include "http/method.h"
#include "ssxrver/app/route_settings.h"
#include "ssxrver/base/unique_function.h"
#include "websocket/upgrade_handler.h"

namespace ssx {

class RouteGroup;
class RouteSet;

/// Makes the handler of a route once the App is known that serves it; the text is its pattern.
using HandlerMaker = UniqueFunction<http::Handler(websocket::Service&, std::string)>;

/// `Self` has add_route(methods, pattern, handler, settings), add_upgrade(pattern, maker, settings)
/// and make_group(prefix, settings).
template <class Self>
class Routes {
 public:
  // "/users/{id}", "/files/*". A handler is called on every worker at the same time.
  template <http::HandlerFunction F>
  Self& get(std::string_view pattern, F&& handler, RouteSettings settings = {}) {
    return route({http::Method::kGet}, pattern, std::forward<F>(handler), std::move(settings));
  }
  template <http::HandlerFunction F>
  Self& post(std::string_view pattern, F&& handler, RouteSettings settings = {}) {
    return route({http::Method::kPost}, pattern, std::forward<F>(handler), std::move(settings));
  }
  template <http::HandlerFunction F>
  Self& put(std::string_view pattern, F&& handler, RouteSettings settings = {}) {
    return route({http::Method::kPut}, pattern, std::forward<F>(handler), std::move(settings));
  }
  template <http::HandlerFunction F>
  Self& patch(std::string_view pattern, F&& handler, RouteSettings settings = {}) {
    return route({http::Method::kPatch}, pattern, std::forward<F>(handler), std::move(settings));
  }
  template <http::HandlerFunction F>
  Self& del(std::string_view pattern, F&& handler, RouteSettings settings = {}) {
    return route({http::Method::kDelete}, pattern, std::forward<F>(handler), std::move(settings));
  }
  template <http::HandlerFunction F>
  Self& any(std::string_view pattern, F&& handler, RouteSettings settings = {}) {
    return route({}, pattern, std::forward<F>(handler), std::move(settings));
  }
  /// The general form: no methods = every method.
  Self& route(std::vector<http::Method> methods, std::string_view pattern, http::Handler handler,
              RouteSettings settings = {}) {
    self().add_route(std::move(methods), std::string(pattern), std::move(handler),
                     std::move(settings));
    return self();
  }

  /// WebSockets (websocket/handlers.h) at a path, "/chat/{room}":
  ///
  ///   app.ws("/echo", {.on_message = [](auto& socket, Message message) { socket.send(message);
  ///   }}); app.ws<Member>("/chat/{room}", {.on_upgrade = ..., .on_message = ...});
  template <class T = websocket::NoData>
  Self& ws(std::string_view pattern, websocket::Handlers<T> handlers, RouteSettings settings = {}) {
    if (!settings.handler_timeout) settings.handler_timeout = handlers.limits.handshake_timeout;
    auto make = [handlers = std::move(handlers)](websocket::Service& service,
                                                 std::string name) mutable {
      return websocket::make_handler(service, std::move(name), std::move(handlers));
    };
    self().add_upgrade(std::string(pattern), std::move(make), std::move(settings));
    return self();
  }

  /// Routes below a prefix ("/api") that share settings. Lives no longer than the App, or the set.
  [[nodiscard]] RouteGroup group(std::string_view prefix, RouteSettings settings = {});

 protected:
  Routes() = default;

 private:
  [[nodiscard]] Self& self() noexcept { return static_cast<Self&>(*this); }
};

/// A prefix and settings for the routes that are added to it. A value: keep it as long as needed.
class RouteGroup final : public Routes<RouteGroup> {
 public:
  RouteGroup(RouteSet& set, std::string_view prefix, RouteSettings settings)
      : set_(set), prefix_(prefix), settings_(std::move(settings)) {}

 private:
  friend class Routes<RouteGroup>;

  void add_route(std::vector<http::Method> methods, std::string pattern, http::Handler handler,
                 RouteSettings settings);
  void add_upgrade(std::string pattern, HandlerMaker make, RouteSettings settings);
  RouteGroup make_group(std::string_view prefix, RouteSettings settings);

  RouteSet& set_;
  std::string prefix_;
  RouteSettings settings_;
};

template <class Self>
RouteGroup Routes<Self>::group(std::string_view prefix, RouteSettings settings) {
  return self().make_group(prefix, std::move(settings));
}

}  // namespace ssx
