// What answers a request once its path and method are known, and within which limits.
//
// Thread: immutable once it is in a Router
// Owner:  the Routers that it is in
// Life:   that of the last of them; a worker lets go of one when nothing of it is under way there
// Bounds: RouteLimits
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "http/handler.h"
#include "http/options.h"
#include "http/target_template.h"

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
  bool decodes_body = false;  ///< BodyDecodingOptions::enabled

  static RouteLimits from(const HttpOptions& options);
  auto operator<=>(const RouteLimits&) const = default;
};

/// A short name for a RouteLimits, for sessions to remember: they have no room for a pointer.
/// 0 stands for those of HttpOptions; the others are the RouteRegister's.
using LimitsId = std::uint16_t;

/// When the handler of a route is called.
enum class BodyMode : std::uint8_t {
  kWhole,   ///< the body is there, in memory or in a file
  kStream,  ///< the head is there: a coroutine reads the body as it arrives
};

struct Route {
  static constexpr unsigned kRewritesMax = 10;

  Handler handler;
  RouteLimits limits;
  std::string name;        ///< "GET /users/{id}", for logs and counters
  LimitsId limits_id = 0;  ///< of `limits`; the RouteRegister fills it in
  BodyMode body_mode = BodyMode::kWhole;
  /// Answers requests of other methods to the same path; of several routes, that of the first.
  Handler fallback = {};
  /// Asked with this target instead, the request finds another route; after kRewritesMax of them
  /// `handler` answers.
  std::shared_ptr<const TargetTemplate> rewrite = {};
  /// The name for stall warnings, which may say it when the route is gone; the RouteRegister fills
  /// it in.
  const char* label = "a route";
};

}  // namespace ssx::http
