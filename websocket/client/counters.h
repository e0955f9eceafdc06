// What a client of WebSockets counts; what its sockets do is in websocket/counters.h.
//
// Thread: one writer (the client's loop), many readers
// Owner:  the Dialer
// Life:   that of the client
// Bounds: -
#pragma once

#include "ssxrver/metrics/counter.h"

namespace ssx::websocket {

struct ClientCounters {
  metrics::Counter dialed;            ///< attempts to have a WebSocket
  metrics::Counter failed_otherwise;  ///< of them, for a reason that is not of websocket::Errc
  metrics::Counter retried;           ///< attempts that followed a failure or an end
  metrics::Counter gave_up;           ///< ReconnectOptions::attempts_max
};

}  // namespace ssx::websocket
