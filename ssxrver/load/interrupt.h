// Ctrl-C ends the measuring, and what came so far is printed.
//
// Thread: any
// Owner:  the process
// Life:   that of the process
// Bounds: a second one ends the process
#pragma once

#include <atomic>

namespace ssx::load {

/// Becomes true with the first SIGINT from the first call on.
[[nodiscard]] const std::atomic<bool>& interrupted() noexcept;

}  // namespace ssx::load
