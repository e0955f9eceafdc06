// Finds the route of a request: "/users/{id}" before "/users/*", and literal text before both.
//
// Thread: add() while one thread has it; match() any thread after
// Owner:  shared by the workers that it is the table of (held_routes.h)
// Life:   until no worker has anything under way that began with it; Match points into it
// Bounds: Params::kMax placeholders per route; those of the RouteRegister
//
// A pattern is literal segments, `{name}` for one whole segment, and `*` (or `{name...}`) at the
// end for the rest, which may be empty. The most specific pattern wins, whatever the order of
// add(): segment by segment literal, then {name}, then *. Routes for the Host of the request win
// over routes for any. The method is looked at last: where a path has no route for it, the answer
// is 405 and not a less specific route.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "http/method.h"
#include "http/params.h"
#include "http/route.h"
#include "http/route_register.h"
#include "ssxrver/base/result.h"

namespace ssx::http {

class RouteTree;

class Router {
 public:
  enum class Found : std::uint8_t {
    kRoute,
    kOtherMethods,  ///< the path is there, for the methods in `allowed`: 405, or OPTIONS
    kNothing,       ///< 404
  };
  struct Match {
    Found found = Found::kNothing;
    const Route* route = nullptr;
    MethodSet allowed = 0;
    const Route* fallback = nullptr;  ///< kOtherMethods: the middleware of that path; or null
  };

  /// `shared`: with the tables that came before and those that follow.
  explicit Router(std::shared_ptr<RouteRegister> shared = std::make_shared<RouteRegister>());
  ~Router();
  Router(Router&&) noexcept;
  Router& operator=(Router&&) noexcept;

  /// `methods` empty: every method. `host` empty: every host; a port or a final dot does not count.
  /// kInvalidArgument for a pattern that is not one or that no path can match, and for a route that
  /// is there already. GET serves HEAD as well.
  Result<void> add(std::string_view host, const std::vector<Method>& methods,
                   std::string_view pattern, Route route);
  /// The same with a route that this Router's RouteRegister has made.
  Result<void> add_shared(std::string_view host, const std::vector<Method>& methods,
                          std::string_view pattern, const std::shared_ptr<const Route>& route);
  /// `path` is normalised. The values in `params` are views of `path`.
  [[nodiscard]] Match match(std::string_view host, Method method, std::string_view path,
                            Params& params) const;
  /// What `OPTIONS *` is told: every method that some route has (RFC 9110 9.3.7).
  [[nodiscard]] Match match_server() const noexcept {
    return {Found::kOtherMethods, nullptr, all_methods_, nullptr};
  }
  /// `id` is that of a Route of this table or of an earlier one, and not 0.
  [[nodiscard]] const RouteLimits& limits(LimitsId id) const noexcept { return limits_[id - 1U]; }
  [[nodiscard]] bool empty() const noexcept { return route_count_ == 0; }
  /// Whether two texts of add() or match() are one host.
  [[nodiscard]] static bool is_same_host(std::string_view a, std::string_view b) noexcept;

 private:
  /// Whatever the case, and without copying what is looked for.
  struct HostLess {
    using is_transparent = void;
    bool operator()(std::string_view left, std::string_view right) const noexcept;
  };

  [[nodiscard]] const RouteTree* tree_of(std::string_view host) const;
  std::unique_ptr<RouteTree> any_host_;
  std::map<std::string, std::unique_ptr<RouteTree>, HostLess> hosts_;
  std::shared_ptr<RouteRegister> register_;
  std::vector<RouteLimits> limits_;  ///< those of the register, for other threads
  MethodSet all_methods_ = method_bit(Method::kOptions);
  std::size_t route_count_ = 0;
};

}  // namespace ssx::http
