// The tables that plugins are given: functions of C, each around something of this side. (i)
//
// Thread: as the border says of each function
// Owner:  -
// Life:   immutable, for as long as the program
// Bounds: those of what they call
#pragma once

#include "ssxrver/plugin/abi.h"

namespace ssx::plugins {

extern const ssxrver_db kDbTable;
extern const ssxrver_http kHttpTable;
extern const ssxrver_loops kLoopTable;
extern const ssxrver_websocket kWebSocketTable;

/// That of an instance.
[[nodiscard]] ssxrver_host make_host_table(ssxrver_context* context) noexcept;

}  // namespace ssx::plugins
