// When the next request is to begin: as soon as a connection is free, or at a constant rate.
//
// Thread: that of its load
// Owner:  a Load
// Life:   from the first request on
// Bounds: 2^53 requests
//
// At a constant rate a request that has to wait for a connection has begun all the same: its time
// runs from the intended start, so that a server that hangs does not slow down the questions that
// would show it ("coordinated omission").
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>

#include "ssxrver/base/clock.h"

namespace ssx::load {

class Pace {
 public:
  /// As soon as there is a connection.
  Pace() noexcept = default;
  /// `period` from one to the next; the first at `start`.
  Pace(TimePoint start, double period_ns) noexcept : start_(start), period_ns_(period_ns) {}

  [[nodiscard]] bool is_constant() const noexcept { return period_ns_ > 0; }
  /// The intended start of the next one. Without a rate: no time at all.
  [[nodiscard]] TimePoint next() const noexcept {
    return start_ + Duration(static_cast<std::int64_t>(period_ns_ * static_cast<double>(taken_)));
  }
  /// Of one that is due at `now`, which is begun by that. Without a rate: `now`.
  std::optional<TimePoint> take(TimePoint now) noexcept {
    if (!is_constant()) return now;
    const TimePoint due = next();
    if (due > now) return std::nullopt;
    ++taken_;
    return due;
  }
  /// All that are due at `now` and have not begun, in groups: function(intended start of the first
  /// one, how many). So few groups that no rate is too high, and so many that their starts are
  /// exact to a ten-thousandth of the longest wait. Without a rate: none.
  template <class F>
  void take_all(TimePoint now, F function) {
    if (!is_constant() || next() > now) return;
    const double passed = static_cast<double>((now - start_).count());
    const auto end = static_cast<std::uint64_t>(std::ceil((passed + 1) / period_ns_));
    const std::uint64_t group = (end - taken_) / kGroups + 1;
    while (taken_ < end) {
      const TimePoint since = next();
      const std::uint64_t count = std::min(group, end - taken_);
      taken_ += count;
      function(since, count);
    }
  }

 private:
  static constexpr std::uint64_t kGroups = 10'000;

  TimePoint start_;
  double period_ns_ = 0;
  std::uint64_t taken_ = 0;
};

}  // namespace ssx::load
