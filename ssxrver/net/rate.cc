#include "ssxrver/net/rate.h"

#include <algorithm>

namespace ssx::net {
namespace {

Duration interval_of(const Rate& rate) noexcept {
  if (rate.events == 0) return Duration::zero();
  return std::max(Duration(1), Duration(rate.per) / rate.events);
}

// Half of the clock's range is for ever; the other half leaves room to add to it.
Duration tolerance_of(const Rate& rate) noexcept {
  constexpr Duration kEver = Duration::max() / 2;
  const Duration interval = interval_of(rate);
  const std::uint32_t ahead = std::max<std::uint32_t>(rate.burst, 1) - 1;
  if (ahead != 0 && interval > kEver / ahead) return kEver;
  return interval * ahead;
}

}  // namespace

TokenBucket::TokenBucket(const Rate& rate) noexcept
    : interval_(interval_of(rate)), tolerance_(tolerance_of(rate)) {}

bool TokenBucket::take(TimePoint& full_at, TimePoint now) const noexcept {
  if (!is_limited()) return true;
  const TimePoint full = std::max(full_at, now);
  if (full - now > tolerance_) return false;
  full_at = full + interval_;
  return true;
}

Duration TokenBucket::wait(TimePoint full_at, TimePoint now) const noexcept {
  if (!is_limited() || full_at <= now) return Duration::zero();
  return std::max(Duration::zero(), full_at - now - tolerance_);
}

}  // namespace ssx::net
