// What one client counts. Each limit of ClientOptions has its own counter; `failed` has the rest by
// reason.
//
// Thread: one writer (the client's loop), many readers
// Owner:  the client's connection pool
// Life:   that of the last Client, ClientResponse or connection of it
// Bounds: -
#pragma once

#include <array>

#include "http/error.h"
#include "ssxrver/metrics/counter.h"

namespace ssx::http {

struct alignas(64) ClientCounters {
  metrics::Counter requests;               ///< asked for, redirects not counted
  metrics::Counter connected;              ///< new connections
  metrics::Counter reused;                 ///< requests on a connection that had one before
  metrics::Counter retried;                ///< because a kept connection turned out to be dead
  metrics::Counter redirected;             ///< redirects followed
  metrics::Counter interim;                ///< 1xx skipped
  metrics::Counter waited;                 ///< limit: connections_per_host
  metrics::Counter idle_per_host_hit;      ///< limit: closed instead of kept
  metrics::Counter idle_max_hit;           ///< limit: an older one was closed
  metrics::Counter idle_timeouts;          ///< limit: idle_time
  metrics::Counter redirect_body_max_hit;  ///< limit: the connection was closed instead
  metrics::Counter idle_ended;             ///< kept ones that the server has closed
  std::array<metrics::Counter, kErrcCount> failed;  ///< by reason; the limits are among them
  metrics::Counter failed_otherwise;                ///< what the system said: refused, reset, ...

  [[nodiscard]] metrics::Counter& of(Errc code) noexcept {
    return failed[static_cast<std::size_t>(code)];
  }
};

}  // namespace ssx::http
