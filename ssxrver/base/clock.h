// Time as the loops see it: an interface, so that tests can turn the hands.
//
// Thread: any thread
// Owner:  main (SystemClock::instance lives as long as the process) or the test
// Life:   longer than every loop that borrows it
// Bounds: nanosecond resolution
#pragma once

#include <chrono>

namespace ssx {

using Duration = std::chrono::nanoseconds;
using TimePoint = std::chrono::time_point<std::chrono::steady_clock, Duration>;
using WallTime = std::chrono::time_point<std::chrono::system_clock, Duration>;

/// `delay` after `time`; TimePoint::max(), which means never, when there is no such time.
[[nodiscard]] constexpr TimePoint after(TimePoint time, Duration delay) noexcept {
  if (delay > Duration::zero() && time > TimePoint::max() - delay) return TimePoint::max();
  return time + delay;
}

class Clock {
 public:
  virtual ~Clock() = default;
  /// Monotonic; never goes back.
  [[nodiscard]] virtual TimePoint now() const noexcept = 0;
  /// The same, some milliseconds old and a few nanoseconds cheap.
  [[nodiscard]] virtual TimePoint coarse_now() const noexcept { return now(); }
  /// Civil time (UTC); may jump.
  [[nodiscard]] virtual WallTime wall_now() const noexcept = 0;
};

class SystemClock final : public Clock {
 public:
  static const SystemClock& instance() noexcept;
  [[nodiscard]] TimePoint now() const noexcept override;
  [[nodiscard]] TimePoint coarse_now() const noexcept override;
  [[nodiscard]] WallTime wall_now() const noexcept override;
};

}  // namespace ssx
