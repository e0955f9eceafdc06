// What the program does instead of running: tests, prints, and signals to a daemon that runs.
//
// Thread: the main thread
// Owner:  -
// Life:   one call
// Bounds: -
#pragma once

#include "ssxrver/daemon/command_line.h"

namespace ssx {

/// True for every action but kRun.
[[nodiscard]] bool is_one_shot(const CommandLine& line) noexcept;
/// Does it; an exit status.
[[nodiscard]] int run_one_shot(const CommandLine& line);

}  // namespace ssx
