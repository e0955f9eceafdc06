#include "ssxrver/base/clock.h"

namespace ssx {

const SystemClock& SystemClock::instance() noexcept {
  static const SystemClock clock;
  return clock;
}

TimePoint SystemClock::now() const noexcept { return std::chrono::steady_clock::now(); }
WallTime SystemClock::wall_now() const noexcept { return std::chrono::system_clock::now(); }

}  // namespace ssx
