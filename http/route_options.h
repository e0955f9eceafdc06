// One entry of `http.routes`: what it matches, and which built-in handler answers with what.
//
// Thread: immutable once validated
// Owner:  whoever builds the router; copied into it
// Life:   longer than the server
// Bounds: 1024 routes; every field says its range
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "http/options.h"

namespace ssx::http {

/// What the handlers `text` and `status` answer.
struct AnswerOptions {
  int status = 200;                         ///< `status`: 200 .. 599
  std::string content_type = "text/plain";  ///< `content_type` of `text`
  std::string body;                         ///< `body`: the same bytes each time
  bool operator==(const AnswerOptions&) const = default;
};

/// The time-outs that a route may choose for itself: those that start once the route is known.
struct RouteTimeouts {
  milliseconds body{30000};                  ///< `timeouts.body`: between two reads of a body; 408
  std::size_t body_min_rate = 1024;          ///< `timeouts.body_min_rate` bytes/s; 408; 0 = off
  milliseconds body_min_rate_grace{10000};   ///< `timeouts.body_min_rate_grace`: 1 s .. 5 min
  milliseconds write{30000};                 ///< `timeouts.write`: no byte taken by the peer; reset
  std::size_t write_min_rate = 1024;         ///< `timeouts.write_min_rate` bytes/s; reset; 0 = off
  milliseconds write_min_rate_grace{30000};  ///< `timeouts.write_min_rate_grace`: 1 s .. 5 min
  milliseconds handler{30000};               ///< `timeouts.handler`: no step of a coroutine; 503
  bool operator==(const RouteTimeouts&) const = default;
};

/// What surrounds a route, the first outermost: `middleware`, `rate_limit`, `auth`.
struct SurroundOptions {
  /// What `middleware` may name: those that need no options.
  static constexpr std::array<std::string_view, 2> kMiddleware{"request_id", "security_headers"};

  std::vector<std::string> middleware;  ///< `middleware`: of kMiddleware, each once
  net::Rate rate_limit;                 ///< `rate_limit` of each client; 429 above it
  std::string auth;                     ///< `auth`: "basic:FILE", "bearer:FILE" (auth_file.h)
  bool operator==(const SurroundOptions&) const = default;
};

/// What a route leaves out, it takes from `http` and `http.static`: every field here is final.
struct RouteOptions {
  std::string match = "/*";           ///< `match`: a path with `{name}` parts and a final `*`
  std::vector<std::string> methods;   ///< `methods`: empty = all that the handler answers
  std::string host;                   ///< `host`: only for this Host; empty = any
  std::string handler = "static";     ///< `handler`: "static" | "text" | "echo" | "status" | ...
  std::uint64_t body_max = 64 << 20;  ///< `max_body_size`: 0 .. 2^62; else 413
  RouteTimeouts timeouts;             ///< `timeouts`
  SurroundOptions around;             ///< `middleware`, `rate_limit`, `auth`
  bool run_on_tasks = false;          ///< `run_on` "tasks", for `text`, `status`, `redirect`
  StaticOptions files;                ///< `root` and the keys of `http.static`, for `static`
  AnswerOptions answer;               ///< for `text` and `status`; the status of `redirect`
  std::string to;                     ///< `to` of `redirect` and `rewrite` (target_template.h)
  bool operator==(const RouteOptions&) const = default;
};

}  // namespace ssx::http
