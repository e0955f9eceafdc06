// The names of log files, and which of them may go.
//
// Thread: any thread
// Owner:  -
// Life:   -
// Bounds: only names that we could have made ourselves are ever removed
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "ssxrver/base/clock.h"

namespace ssx::log {

/// `folder` + `base`.20260102-150405.log, and .N behind it when `collision` is not 0.
[[nodiscard]] std::string file_path(std::string_view folder, std::string_view base, WallTime when,
                                    unsigned collision);

/// "logs" and "logs/" to "logs/"; "" stays "": the working directory.
[[nodiscard]] std::string as_folder(std::string_view path);

/// What file_path() made for this base: no other file is ours to remove.
[[nodiscard]] bool is_file_of(std::string_view base, std::string_view name);

/// Zero means no limit.
struct Retention {
  std::size_t files = 0;
  std::uint64_t bytes = 0;
  std::chrono::hours age{0};
};

/// Removes the oldest files of `base` in `folder` until the rest is within the limits. `current`
/// counts but stays. Returns how many were removed; what cannot be read or removed stays.
std::size_t retire(const std::string& folder, std::string_view base, const std::string& current,
                   const Retention& keep, WallTime now);

}  // namespace ssx::log
