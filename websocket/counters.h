// What one worker counts about WebSockets. Each limit of Options has its own counter.
//
// Thread: one writer (the worker), many readers
// Owner:  WorkerState
// Life:   that of the server
// Bounds: -
#pragma once

#include <array>
#include <cstddef>

#include "ssxrver/metrics/counter.h"
#include "websocket/error.h"
#include "websocket/options.h"

namespace ssx::websocket {

struct alignas(64) Counters {
  metrics::Counter refused;      ///< handshakes that are none, or not allowed: why, in `failed`
  metrics::Counter rejected;     ///< good ones: on_upgrade said no, threw, or was cancelled
  metrics::Counter opened;       ///< handshakes that became WebSockets
  metrics::Gauge open;           ///< of them, those that have not been closed
  metrics::Counter messages_in;  ///< whole ones, or the last pieces of them
  metrics::Counter messages_out;
  metrics::Counter bytes_in;  ///< of payloads
  metrics::Counter bytes_out;
  metrics::Counter pings_in;
  metrics::Counter pings_out;
  /// Messages that had no room, by the policy that they met; of kDropOldest and kLatest those that
  /// made room. Files and fragments count as messages.
  std::array<metrics::Counter, kBackpressurePolicyCount> dropped;
  /// That were promised, and still waited for room or for others (delay_write) at the end.
  metrics::Counter lost;
  metrics::Counter backpressure;           ///< how often somebody's unsent bytes went above `high`
  metrics::Counter published;              ///< to topics, by sockets of this worker
  metrics::Counter delivered;              ///< to its subscribers, before backpressure has its say
  metrics::Counter posted_late;            ///< by other threads, for a socket that was closing
  metrics::Counter unsent_max_hit;         ///< limit: ServiceOptions::unsent_max
  metrics::Counter subscriptions_max_hit;  ///< limit: Options::subscriptions_max
  std::array<metrics::Counter, kErrcCount> failed;  ///< by reason; the limits are among them

  [[nodiscard]] metrics::Counter& of(Errc code) noexcept {
    return failed[static_cast<std::size_t>(code)];
  }
  [[nodiscard]] metrics::Counter& dropped_by(BackpressurePolicy policy) noexcept {
    return dropped[static_cast<std::size_t>(policy)];
  }
};

}  // namespace ssx::websocket
