// How often which time was measured, exact to under one percent.
//
// Thread: one; those of several threads are added up when they have ended
// Owner:  a Tally
// Life:   any
// Bounds: 36 KiB; a time above kMost counts as kMost, and max() still tells it
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "ssxrver/base/clock.h"

namespace ssx::load {

class Histogram {
 public:
  static constexpr unsigned kMostBits = 42;
  /// About 73 minutes.
  static constexpr std::uint64_t kMost = (std::uint64_t{1} << kMostBits) - 1;  ///< ns

  /// So many times; at least once.
  void record(Duration time, std::uint64_t times = 1) noexcept {
    const auto ns = static_cast<std::uint64_t>(time.count() < 0 ? 0 : time.count());
    counts_[index_of(ns < kMost ? ns : kMost)] += times;
    count_ += times;
    sum_ += static_cast<double>(ns) * static_cast<double>(times);
    if (ns < min_) min_ = ns;
    if (ns > max_) max_ = ns;
  }
  void add(const Histogram& other) noexcept;

  [[nodiscard]] std::uint64_t count() const noexcept { return count_; }
  /// 0 of none.
  [[nodiscard]] Duration min() const noexcept { return Duration(count_ == 0 ? 0 : min_); }
  [[nodiscard]] Duration max() const noexcept { return Duration(max_); }
  [[nodiscard]] Duration mean() const noexcept;
  /// `share` of all were as fast, or faster: 0.5 is the median. 0 .. 1; of none 0.
  [[nodiscard]] Duration percentile(double share) const noexcept;

 private:
  // Each power of two is cut into kSteps: below 2 * kSteps a bucket is one nanosecond wide.
  static constexpr unsigned kStepBits = 7;
  static constexpr std::uint64_t kSteps = 1U << kStepBits;
  static constexpr std::size_t kBuckets = (kMostBits - kStepBits + 1) * kSteps;

  static constexpr std::size_t index_of(std::uint64_t ns) noexcept {
    if (ns < 2 * kSteps) return ns;
    const auto shift = static_cast<unsigned>(std::bit_width(ns)) - kStepBits - 1;
    return (static_cast<std::size_t>(shift) << kStepBits) + (ns >> shift);
  }
  /// The largest time of a bucket.
  static constexpr std::uint64_t top_of(std::size_t index) noexcept {
    if (index < 2 * kSteps) return index;
    const auto shift = static_cast<unsigned>(index >> kStepBits) - 1;
    return (((index - (static_cast<std::size_t>(shift) << kStepBits)) + 1) << shift) - 1;
  }

  std::array<std::uint64_t, kBuckets> counts_{};
  std::uint64_t count_ = 0;
  std::uint64_t min_ = UINT64_MAX;
  std::uint64_t max_ = 0;
  double sum_ = 0;
};

}  // namespace ssx::load
