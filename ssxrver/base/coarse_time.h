// A point in time in four bytes, for what there is one of for each of many thousands.
//
// Thread: values
// Owner:  whoever stores it
// Life:   any
// Bounds: to the next 1.05 ms below; at() is right for 52 days
#pragma once

#include <cstdint>

#include "ssxrver/base/clock.h"

namespace ssx {

class CoarseTime {
 public:
  explicit CoarseTime(TimePoint time) noexcept : tick_(tick_of(time)) {}

  /// The time that it was made of, which is not after `now`.
  [[nodiscard]] TimePoint at(TimePoint now) const noexcept {
    const std::uint32_t ticks_ago = tick_of(now) - tick_;
    const std::int64_t tick = (now.time_since_epoch().count() >> kShift) - ticks_ago;
    return TimePoint(Duration(tick << kShift));
  }

 private:
  static constexpr int kShift = 20;
  static std::uint32_t tick_of(TimePoint time) noexcept {
    return static_cast<std::uint32_t>(time.time_since_epoch().count() >> kShift);
  }

  std::uint32_t tick_;
};

}  // namespace ssx
