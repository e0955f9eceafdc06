#include "ssxrver/load/histogram.h"

#include <algorithm>
#include <cmath>

namespace ssx::load {

void Histogram::add(const Histogram& other) noexcept {
  for (std::size_t i = 0; i < counts_.size(); ++i) counts_[i] += other.counts_[i];
  count_ += other.count_;
  sum_ += other.sum_;
  min_ = std::min(min_, other.min_);
  max_ = std::max(max_, other.max_);
}

Duration Histogram::mean() const noexcept {
  return Duration(count_ == 0 ? 0 : std::llround(sum_ / static_cast<double>(count_)));
}

Duration Histogram::percentile(double share) const noexcept {
  const auto wanted = std::clamp<std::uint64_t>(
      static_cast<std::uint64_t>(std::ceil(share * static_cast<double>(count_))), 1, count_ + 1);
  std::uint64_t seen = 0;
  for (std::size_t i = 0; i < counts_.size(); ++i) {
    seen += counts_[i];
    if (seen >= wanted) return Duration(std::clamp(top_of(i), min_, max_));
  }
  return max();
}

}  // namespace ssx::load
