// What the counters of HTTP are called where somebody reads them.
//
// Thread: any thread
// Owner:  -
// Life:   -
// Bounds: a line per counter, and per error
#pragma once

#include <span>

#include "http/counters.h"
#include "ssxrver/metrics/registry.h"

namespace ssx::http {

[[nodiscard]] std::span<const metrics::Field<Counters>> counter_fields();

}  // namespace ssx::http
