// What a route, or a group of routes, may choose for itself; the rest is AppOptions::http.
//
// Thread: immutable once the App runs
// Owner:  App
// Life:   that of the App
// Bounds: as in http::RouteLimits
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "http/middleware.h"
#include "http/options.h"
#include "http/router.h"

namespace ssx {

/// Where a handler that is a function runs. Coroutines always run on the loop.
enum class RunOn : std::uint8_t {
  kLoop,   ///< at once; it must not block
  kTasks,  ///< on a task thread (AppOptions::tasks), with a copy of the request, whose stop_token()
           ///< says that nobody waits any more; 503 when the queue is full. What it returns may not
           ///< refer to the request
};

//   app.post("/upload", handler, {.body = http::BodyMode::kStream, .body_max = 8ULL << 30});
struct RouteSettings {
  http::BodyMode body = http::BodyMode::kWhole;
  RunOn run_on = RunOn::kLoop;
  std::string host = {};  ///< only for this Host; empty = any

  // Each in place of the one of AppOptions::http; see http::RouteLimits.
  std::optional<std::uint64_t> body_max = {};
  std::optional<http::milliseconds> body_timeout = {};
  std::optional<std::size_t> body_min_rate = {};
  std::optional<http::milliseconds> body_min_rate_grace = {};
  std::optional<http::milliseconds> write_timeout = {};
  std::optional<std::size_t> write_min_rate = {};
  std::optional<http::milliseconds> write_min_rate_grace = {};
  std::optional<http::milliseconds> handler_timeout = {};
  std::optional<bool> decodes_body = {};  ///< gzip and deflate are taken off before the handler

  /// The first is the outermost. A group's surround those of its routes.
  std::vector<http::Middleware> middleware = {};

  /// Those of `inner`, and for what it leaves open these.
  [[nodiscard]] RouteSettings with(RouteSettings inner) const;
  /// What is left open is taken from `options`.
  [[nodiscard]] http::RouteLimits limits(const http::HttpOptions& options) const;
};

}  // namespace ssx
