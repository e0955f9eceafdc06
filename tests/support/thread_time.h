// What the calling thread has had of the processors: what a test measures where others are at work.
//
// Thread: any thread
// Owner:  -
// Life:   -
// Bounds: -
#pragma once

#include <time.h>

#include <chrono>

namespace ssx::test {

inline std::chrono::nanoseconds thread_time() {
  timespec time{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
}

}  // namespace ssx::test
