// What a loop shows of the turn that it is in, for whoever watches it from another thread.
//
// Thread: one writer, the loop's; the const functions any thread
// Owner:  EventLoop
// Life:   that of the loop
// Bounds: two relaxed stores a turn, and one per name
#pragma once

#include <atomic>

#include "ssxrver/base/clock.h"

namespace ssx::net {

class TurnMark {
 public:
  /// The turn of a loop that waits, or does not run.
  static constexpr TimePoint kNone{};

  void begin(TimePoint now) noexcept {
    began_.store(now.time_since_epoch().count(), std::memory_order_relaxed);
  }
  void end() noexcept { began_.store(0, std::memory_order_relaxed); }
  /// A text that lives longer than the work which it names; null: none.
  void set_label(const char* label) noexcept { label_.store(label, std::memory_order_release); }
  const char* take_label() noexcept {
    const char* const taken = label_.load(std::memory_order_relaxed);
    label_.store(nullptr, std::memory_order_relaxed);
    return taken;
  }
  void set_thread(int id) noexcept { thread_.store(id, std::memory_order_relaxed); }

  /// When the turn of this moment began, or kNone.
  [[nodiscard]] TimePoint began() const noexcept {
    return TimePoint(Duration(began_.load(std::memory_order_relaxed)));
  }
  /// To be believed while began() stays the same.
  [[nodiscard]] const char* label() const noexcept {
    return label_.load(std::memory_order_acquire);
  }
  /// The kernel's id of the thread that runs the loop, or ran it last; 0: none has.
  [[nodiscard]] int thread() const noexcept { return thread_.load(std::memory_order_relaxed); }

 private:
  std::atomic<Duration::rep> began_{0};
  std::atomic<const char*> label_{nullptr};
  std::atomic<int> thread_{0};
};

}  // namespace ssx::net
