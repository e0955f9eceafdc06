// What a client of WebSockets counts; what its sockets do, and why by websocket::Errc there is
// none, is in websocket/counters.h.
//
// Thread: one writer (the client's loop), many readers
// Owner:  the Dialer
// Life:   that of the client
// Bounds: -
#pragma once

#include <array>

#include "http/error.h"
#include "ssxrver/metrics/counter.h"

namespace ssx::websocket {

struct ClientCounters {
  metrics::Counter dialed;   ///< attempts to have a WebSocket
  metrics::Counter retried;  ///< attempts that followed a failure or an end
  /// Of `dialed`, by reason, answers of a proxy too. ClientOptions::parser and interim_max are
  /// among them.
  std::array<metrics::Counter, http::kErrcCount> failed;
  metrics::Counter failed_otherwise;  ///< what the system or a proxy said: refused, reset, ...
  metrics::Counter gave_up;           ///< limit: ReconnectOptions::attempts_max
  metrics::Counter rested;            ///< limit: messages or pieces that nobody waited for
  metrics::Counter send_max_hit;      ///< limit: longer than ClientSocket::send() takes

  [[nodiscard]] metrics::Counter& of(http::Errc code) noexcept {
    return failed[static_cast<std::size_t>(code)];
  }
};

}  // namespace ssx::websocket
