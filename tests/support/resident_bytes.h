// How much memory this process has, of what the kernel has really given.
//
// Thread: any thread
// Owner:  -
// Life:   -
// Bounds: one file of /proc
#pragma once

#include <unistd.h>

#include <cstddef>
#include <fstream>

namespace ssx::test {

inline std::size_t resident_bytes() {
  std::ifstream file("/proc/self/statm");
  std::size_t size = 0;
  std::size_t resident = 0;
  file >> size >> resident;
  return resident * static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
}

}  // namespace ssx::test
