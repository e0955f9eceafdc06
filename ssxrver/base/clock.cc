#include "ssxrver/base/clock.h"

#include <ctime>

namespace ssx {

const SystemClock& SystemClock::instance() noexcept {
  static const SystemClock clock;
  return clock;
}

TimePoint SystemClock::now() const noexcept { return std::chrono::steady_clock::now(); }
TimePoint SystemClock::coarse_now() const noexcept {
  timespec time;
  clock_gettime(CLOCK_MONOTONIC_COARSE, &time);
  return TimePoint(std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec));
}
WallTime SystemClock::wall_now() const noexcept { return std::chrono::system_clock::now(); }

}  // namespace ssx
