// How many descriptors this process has open: what leaks shows as a difference.
//
// Thread: any thread; meaningful while no other thread opens or closes
// Owner:  -
// Life:   -
// Bounds: -
#pragma once

#include <cstddef>
#include <filesystem>

namespace ssx::test {

/// Its own look into /proc is in every count, so differences are exact.
inline std::size_t open_files() {
  std::size_t count = 0;
  for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
    ++count;
  }
  return count;
}

}  // namespace ssx::test
