// How much memory this process uses, and how much it may.
//
// Thread: any thread
// Owner:  -
// Life:   each call stands alone
// Bounds: reads files of /proc and /sys of some hundred bytes
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "ssxrver/base/result.h"

namespace ssx::net {

/// Bytes that are in memory and belong to this process alone: those of files it has mapped can be
/// read again and do not count.
Result<std::uint64_t> resident_memory();

/// The least `memory.max` of the control group of this process and of those around it (version 2;
/// memory.limit_in_bytes in version 1). Nothing when there is none. `root`: where "/" is, for
/// tests.
[[nodiscard]] std::optional<std::uint64_t> control_group_memory(const std::string& root = "");

}  // namespace ssx::net
