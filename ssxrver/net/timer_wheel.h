// Deadlines of connections: a hashed wheel, O(1) to set, to move and to clear, no allocation. (i)
//
// Thread: loop-only
// Owner:  EventLoop; a Deadline belongs to the object that derives from it
// Life:   a Deadline takes itself out when it is destroyed
// Bounds: fires never early, and late by at most one tick plus the turn; run_due() looks at
//         `budget` deadlines at the most. Ticks are counted for 9 years after the loop was made
//
// Moving a deadline later, which every request does, only stores the new time: the wheel looks at
// the stored time when it comes to the old slot, and links the deadline again where it belongs.
#pragma once

#include <array>
#include <cstdint>

#include "ssxrver/base/clock.h"
#include "ssxrver/base/intrusive_list.h"

namespace ssx::net {

class Deadline : private ListHook<class TimerWheel> {
 public:
  [[nodiscard]] bool is_set() const noexcept { return due_tick_ != kNoTick; }

 protected:
  Deadline() noexcept = default;
  ~Deadline() = default;

 private:
  friend class TimerWheel;
  friend class IntrusiveList<Deadline, TimerWheel>;
  /// The time has come; the deadline is no longer set.
  virtual void on_deadline() = 0;

  static constexpr std::uint32_t kNoTick = UINT32_MAX;
  std::uint32_t due_tick_ = kNoTick;
  std::uint32_t slot_tick_ = kNoTick;
};

class TimerWheel {
 public:
  static constexpr int kTickShift = 26;  ///< 2^26 ns = 67 ms
  static constexpr Duration kTick{std::int64_t{1} << kTickShift};
  static constexpr std::size_t kSlots = 1024;  ///< 69 s; later deadlines go round again

  explicit TimerWheel(TimePoint start) noexcept : start_(start) {}

  void set(Deadline& deadline, TimePoint due) noexcept;
  void clear(Deadline& deadline) noexcept { deadline.due_tick_ = Deadline::kNoTick; }
  /// Fires what is due. True when more is due than the budget allowed.
  bool run_due(TimePoint now, std::size_t budget);
  /// No deadline fires before this time; TimePoint::max() when none is linked.
  [[nodiscard]] TimePoint next_due() const noexcept;

 private:
  using Slot = IntrusiveList<Deadline, TimerWheel>;

  [[nodiscard]] std::uint32_t tick_at_or_before(TimePoint time) const noexcept;
  void link(Deadline& deadline) noexcept;
  void find_next() noexcept;

  const TimePoint start_;
  std::uint32_t now_tick_ = 0;  ///< every slot up to this one has been looked at
  std::uint32_t next_tick_ = Deadline::kNoTick;
  std::array<std::uint64_t, kSlots / 64> used_{};  ///< one bit per slot that may hold something
  std::array<Slot, kSlots> slots_;
  Slot due_;  ///< taken out of their slots, not yet looked at
};

}  // namespace ssx::net
