// Finds the route of a request: "/users/{id}" before "/users/*", and literal text before both.
//
// Thread: add() before the server starts; match() any thread after
// Owner:  the Service
// Life:   that of the server; Match points into it
// Bounds: Params::kMax placeholders per route; 65535 different RouteLimits
//
// A pattern is literal segments, `{name}` for one whole segment, and `*` (or `{name...}`) at the
// end for the rest, which may be empty. The most specific pattern wins, whatever the order of
// add(): segment by segment literal, then {name}, then *. Routes for the Host of the request win
// over routes for any. The method is looked at last: where a path has no route for it, the answer
// is 405 and not a less specific route.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "http/handler.h"
#include "http/method.h"
#include "http/options.h"
#include "http/params.h"
#include "ssxrver/base/result.h"

namespace ssx::http {

/// What a route may choose for itself; the rest is HttpOptions.
struct RouteLimits {
  std::uint64_t body_max = 64 << 20;
  milliseconds body_timeout{30000};
  std::size_t body_min_rate = 1024;
  milliseconds body_min_rate_grace{10000};
  milliseconds write_timeout{30000};
  std::size_t write_min_rate = 1024;
  milliseconds write_min_rate_grace{30000};
  milliseconds handler_timeout{30000};

  static RouteLimits from(const HttpOptions& options);
  bool operator==(const RouteLimits&) const = default;
};

/// A short name for a RouteLimits, for sessions to remember: they have no room for a pointer.
/// 0 stands for those of HttpOptions; the others are the Router's.
using LimitsId = std::uint16_t;

/// When the handler of a route is called.
enum class BodyMode : std::uint8_t {
  kWhole,   ///< the body is there, in memory or in a file
  kStream,  ///< the head is there: a coroutine reads the body as it arrives
};

struct Route {
  Handler handler;
  RouteLimits limits;
  std::string name;        ///< "GET /users/{id}", for logs and counters
  LimitsId limits_id = 0;  ///< of `limits`; the Router fills it in
  BodyMode body_mode = BodyMode::kWhole;
  /// Answers requests of other methods to the same path; of several routes, that of the first.
  Handler fallback = {};
};

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

  Router();
  ~Router();
  Router(Router&&) noexcept;
  Router& operator=(Router&&) noexcept;

  /// `methods` empty: every method. `host` empty: every host; a port or a final dot does not count.
  /// kInvalidArgument for a pattern that is not one or that no path can match, and for a route that
  /// is there already. GET serves HEAD as well.
  Result<void> add(std::string_view host, const std::vector<Method>& methods,
                   std::string_view pattern, Route route);
  /// `path` is normalised. The values in `params` are views of `path`.
  [[nodiscard]] Match match(std::string_view host, Method method, std::string_view path,
                            Params& params) const;
  /// What `OPTIONS *` is told: every method that some route has (RFC 9110 9.3.7).
  [[nodiscard]] Match match_server() const noexcept {
    return {Found::kOtherMethods, nullptr, all_methods_, nullptr};
  }
  /// `id` is a Route's, and not 0.
  [[nodiscard]] const RouteLimits& limits(LimitsId id) const noexcept { return limits_[id - 1U]; }
  [[nodiscard]] bool empty() const noexcept { return route_count_ == 0; }

 private:
  struct Node;
  /// Whatever the case, and without copying what is looked for.
  struct HostLess {
    using is_transparent = void;
    bool operator()(std::string_view left, std::string_view right) const noexcept;
  };

  [[nodiscard]] const Node* tree_of(std::string_view host) const;
  Result<LimitsId> id_of(const RouteLimits& limits);
  static void name_params(const Node& leaf, Params& params) noexcept;
  static const Node* descend(const Node& node, std::string_view rest, Params& params);

  std::unique_ptr<Node> any_host_;
  std::map<std::string, std::unique_ptr<Node>, HostLess> hosts_;
  std::vector<RouteLimits> limits_;
  MethodSet all_methods_ = method_bit(Method::kOptions);
  std::size_t route_count_ = 0;
};

}  // namespace ssx::http
