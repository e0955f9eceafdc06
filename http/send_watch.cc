#include "http/send_watch.h"

#include <algorithm>
#include <chrono>

namespace ssx::http {
namespace {

constexpr int kTickShift = 26;
constexpr Duration kTick{std::int64_t{1} << kTickShift};
constexpr milliseconds kLookMin{125};  // the wheel of deadlines is not much finer

// 0 = never.
milliseconds sooner(milliseconds a, milliseconds b) noexcept {
  if (a.count() == 0 || b.count() == 0) return a + b;
  return std::min(a, b);
}

// How often to look whether what was written is leaving; 0 = never.
milliseconds look_period(const RouteLimits& limits) noexcept {
  const auto grace = limits.write_min_rate > 0 ? limits.write_min_rate_grace : milliseconds(0);
  const auto period = sooner(limits.write_timeout, grace);
  return period.count() == 0 ? period : std::max(period, kLookMin);
}

std::uint32_t tick_of(TimePoint time) noexcept {
  return static_cast<std::uint32_t>(time.time_since_epoch().count() >> kTickShift);
}

// looks_ counts up to kLooksMax, and has to reach the end of the grace.
milliseconds longer_look(const RouteLimits& limits) noexcept {
  const milliseconds look = look_period(limits);
  return limits.write_min_rate > 0 ? std::max(look, limits.write_min_rate_grace / 250) : look;
}

}  // namespace

void SendWatch::begin(TimePoint now, std::uint64_t taken) noexcept {
  taken_mark_ = taken & kTakenMask;
  look_start_ = tick_of(now) & kTickMask;
  looks_ = 0;
}

bool SendWatch::is_off(const RouteLimits& limits) noexcept {
  return look_period(limits).count() == 0;
}

milliseconds SendWatch::since_look(TimePoint now) const noexcept {
  return std::chrono::ceil<milliseconds>(kTick * ((tick_of(now) - look_start_) & kTickMask));
}

milliseconds SendWatch::until_look(TimePoint now, const RouteLimits& limits) const noexcept {
  const milliseconds look = look_period(limits);
  if (look.count() == 0) return look;
  return std::max(look - since_look(now), milliseconds(1));
}

// 0: now, or never.
milliseconds SendWatch::due_in(TimePoint now, const RouteLimits& limits) const noexcept {
  if (is_off(limits)) return milliseconds(0);
  return std::max(longer_look(limits) - since_look(now), milliseconds(0));
}

SendWatch::Verdict SendWatch::judge(TimePoint now, const RouteLimits& limits, milliseconds& next,
                                    std::uint64_t taken) noexcept {
  const milliseconds look = longer_look(limits);
  const milliseconds elapsed = since_look(now);
  const std::uint64_t moved = (taken - taken_mark_) & kTakenMask;
  if (moved == 0 && limits.write_timeout.count() > 0 && elapsed >= limits.write_timeout)
    return Verdict::kTimedOut;
  const int looks = static_cast<int>(looks_) + 1;
  const bool had_its_grace = look * looks >= limits.write_min_rate_grace;
  const auto needed = limits.write_min_rate * static_cast<std::uint64_t>(look.count());
  if (had_its_grace && moved * 1000 < needed) return Verdict::kTooSlow;
  taken_mark_ = taken & kTakenMask;
  look_start_ = tick_of(now) & kTickMask;
  looks_ = static_cast<std::uint8_t>(std::min(looks, kLooksMax));
  next = look;
  return Verdict::kGoOn;
}

}  // namespace ssx::http
