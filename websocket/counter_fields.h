// What the counters of WebSockets are called where somebody reads them.
//
// Thread: any thread
// Owner:  -
// Life:   -
// Bounds: a line per counter, and per error
#pragma once

#include <span>

#include "ssxrver/metrics/registry.h"
#include "websocket/counters.h"

namespace ssx::websocket {

[[nodiscard]] std::span<const metrics::Field<Counters>> counter_fields();

}  // namespace ssx::websocket
