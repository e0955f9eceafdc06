#include "ssxrver/net/timer_wheel.h"

#include <algorithm>
#include <bit>

namespace ssx::net {

void TimerWheel::set(Deadline& deadline, TimePoint due) noexcept {
  // Rounded up, so that it never fires early; a time that has passed fires at the next tick.
  const TimePoint last_instant = due > start_ ? due - Duration(1) : start_;
  const std::uint32_t tick = std::max(tick_at_or_before(last_instant), now_tick_) + 1;
  deadline.due_tick_ = std::min(tick, Deadline::kNoTick - 1);
  if (deadline.is_linked() && deadline.slot_tick_ <= deadline.due_tick_) return;
  deadline.unlink();
  link(deadline);
}

bool TimerWheel::run_due(TimePoint now, std::size_t budget) {
  const std::uint32_t target = tick_at_or_before(now);
  if (target > now_tick_) {
    // After a long sleep once round the wheel is enough.
    const std::uint32_t steps = std::min<std::uint32_t>(target - now_tick_, kSlots);
    for (std::uint32_t tick = target - steps + 1; tick <= target; ++tick) {
      const std::size_t slot = tick % kSlots;
      if (!(used_[slot / 64] >> (slot % 64) & 1)) continue;
      used_[slot / 64] &= ~(std::uint64_t{1} << (slot % 64));
      due_.splice_back(slots_[slot]);
    }
    now_tick_ = target;
    find_next();
  }
  while (Deadline* deadline = due_.front()) {
    if (budget-- == 0) return true;
    deadline->unlink();
    if (!deadline->is_set()) continue;
    if (deadline->due_tick_ > now_tick_) {
      link(*deadline);
      continue;
    }
    deadline->due_tick_ = Deadline::kNoTick;
    deadline->on_deadline();
  }
  return false;
}

TimePoint TimerWheel::next_due() const noexcept {
  if (!due_.empty()) return TimePoint::min();
  if (next_tick_ == Deadline::kNoTick) return TimePoint::max();
  return start_ + next_tick_ * kTick;
}

std::uint32_t TimerWheel::tick_at_or_before(TimePoint time) const noexcept {
  if (time <= start_) return 0;
  const auto ticks = static_cast<std::uint64_t>((time - start_).count()) >> kTickShift;
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(ticks, Deadline::kNoTick - 2));
}

void TimerWheel::link(Deadline& deadline) noexcept {
  const auto horizon = now_tick_ + static_cast<std::uint32_t>(kSlots) - 1;
  deadline.slot_tick_ = std::min(deadline.due_tick_, horizon);
  const std::size_t slot = deadline.slot_tick_ % kSlots;
  slots_[slot].push_back(deadline);
  used_[slot / 64] |= std::uint64_t{1} << (slot % 64);
  next_tick_ = std::min(next_tick_, deadline.slot_tick_);
}

void TimerWheel::find_next() noexcept {
  next_tick_ = Deadline::kNoTick;
  const std::size_t first = (now_tick_ + 1) % kSlots;
  for (std::size_t step = 0; step < kSlots;) {
    const std::size_t slot = (first + step) % kSlots;
    const std::uint64_t rest = used_[slot / 64] >> (slot % 64);
    if (rest == 0) {
      step += 64 - slot % 64;
      continue;
    }
    const std::size_t found = step + static_cast<std::size_t>(std::countr_zero(rest));
    if (found >= kSlots) return;
    next_tick_ = now_tick_ + 1 + static_cast<std::uint32_t>(found);
    return;
  }
}

}  // namespace ssx::net
