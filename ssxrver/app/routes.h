// The verbs by which routes are added, to an App or to a group of one.
//
// Thread: before the App runs
// Owner:  the App
// Life:   -
// Bounds: 65535 different http::RouteLimits
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

namespace ssx {

class App;
class RouteGroup;

/// `Self` has add_route(methods, pattern, handler, settings).
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

  /// Routes below a prefix ("/api") that share settings. Lives no longer than the App.
  [[nodiscard]] RouteGroup group(std::string_view prefix, RouteSettings settings = {});

 protected:
  Routes() = default;

 private:
  [[nodiscard]] Self& self() noexcept { return static_cast<Self&>(*this); }
};

/// A prefix and settings for the routes that are added to it. A value: keep it as long as needed.
class RouteGroup final : public Routes<RouteGroup> {
 public:
  RouteGroup(App& app, std::string_view prefix, RouteSettings settings)
      : app_(app), prefix_(prefix), settings_(std::move(settings)) {}

 private:
  friend class Routes<RouteGroup>;

  void add_route(std::vector<http::Method> methods, std::string pattern, http::Handler handler,
                 RouteSettings settings);
  RouteGroup make_group(std::string_view prefix, RouteSettings settings);

  App& app_;
  std::string prefix_;
  RouteSettings settings_;
};

template <class Self>
RouteGroup Routes<Self>::group(std::string_view prefix, RouteSettings settings) {
  return self().make_group(prefix, std::move(settings));
}

}  // namespace ssx
