// How long to wait before the next attempt: twice as long after each failure, up to a most, and of
// that a part by chance ("full jitter" with 100 per cent). Pure.
//
// Thread: pure function
// Owner:  -
// Life:   -
// Bounds: 0 .. ReconnectOptions::delay_max
#pragma once

#include <cstdint>

#include "websocket/client/options.h"

namespace ssx::websocket {

/// `failures`: how many attempts in a row have failed before, 0 for the first delay. `random`: any
/// of its values, each as likely as the others.
[[nodiscard]] milliseconds backoff_delay(const ReconnectOptions& options, std::uint32_t failures,
                                         std::uint32_t random) noexcept;

}  // namespace ssx::websocket
