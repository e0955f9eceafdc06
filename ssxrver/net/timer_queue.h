// Timers of a loop's users: once or again and again, to the nanosecond, truly cancelled. (i)
//
// Thread: loop-only
// Owner:  EventLoop
// Life:   a TimerId is valid until its timer has fired for the last time or was cancelled
// Bounds: O(log n) per operation; run_due() fires at most `budget` timers
#pragma once

#include <cstdint>
#include <vector>

#include "ssxrver/base/clock.h"
#include "ssxrver/base/slot_map.h"
#include "ssxrver/base/unique_function.h"

namespace ssx::net {

/// Names a timer; a stale one is harmless.
using TimerId = SlotId;

class TimerQueue {
 public:
  static constexpr TimePoint kNever = TimePoint::max();

  /// `period` 0: fires once.
  TimerId add(TimePoint due, Duration period, UniqueFunction<void()> callback);
  /// False when it has fired for the last time already.
  bool cancel(TimerId id);
  /// Fires what is due, in order of time, then of creation. True when more is due than the budget
  /// allowed.
  bool run_due(TimePoint now, std::size_t budget);

  [[nodiscard]] TimePoint next_due() const noexcept {
    return heap_.empty() ? kNever : heap_.front().due;
  }
  [[nodiscard]] std::size_t size() const noexcept { return timers_.size(); }

 private:
  struct Timer {
    Duration period;
    UniqueFunction<void()> callback;
    std::size_t heap_index;
  };
  struct Entry {
    TimePoint due;
    std::uint64_t sequence;
    TimerId id;
    [[nodiscard]] bool before(const Entry& other) const noexcept {
      return due != other.due ? due < other.due : sequence < other.sequence;
    }
  };

  void push(Entry entry);
  void remove_at(std::size_t index);
  void sift_up(std::size_t index);
  void sift_down(std::size_t index);
  void place(std::size_t index, const Entry& entry);

  SlotMap<Timer> timers_;
  std::vector<Entry> heap_;
  std::uint64_t next_sequence_ = 0;
};

}  // namespace ssx::net
