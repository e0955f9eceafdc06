// A Clock whose hands a test turns.
//
// Thread: any thread; turning is seen by all
// Owner:  the test
// Life:   longer than every loop that borrows it
// Bounds: monotonic time only goes forward; civil time may jump
#pragma once

#include <atomic>
#include <functional>
#include <utility>

#include "ssxrver/base/assert.h"
#include "ssxrver/base/clock.h"
#include "ssxrver/base/mutex.h"

namespace ssx::test {

class ManualClock final : public Clock {
 public:
  /// Starts on Sun, 06 Nov 1994 08:49:37 GMT, the example of RFC 9110 section 5.6.7, ten years
  /// after boot: a zero would hide mistakes, and a timerfd of the real kernel that is armed for one
  /// of these times must not fire.
  ManualClock() : ManualClock(WallTime(std::chrono::seconds(784111777))) {}
  explicit ManualClock(WallTime civil)
      : now_(Duration(std::chrono::hours(10 * 365 * 24)).count()),
        wall_(civil.time_since_epoch().count()) {}

  [[nodiscard]] TimePoint now() const noexcept override { return TimePoint(Duration(now_.load())); }
  [[nodiscard]] WallTime wall_now() const noexcept override {
    return WallTime(Duration(wall_.load()));
  }

  /// Both hands.
  void advance(Duration time) {
    SSX_ASSERT(time >= Duration::zero(), time.count());
    now_.fetch_add(time.count());
    wall_.fetch_add(time.count());
    turned();
  }
  /// Only the civil time, as when somebody sets the clock of the machine.
  void set_wall(WallTime civil) { wall_.store(civil.time_since_epoch().count()); }

  /// `hook` runs after every advance, on the thread that turns; sim::VirtualTime lives on it.
  void on_turn(std::function<void()> hook) {
    const MutexLock lock(mutex_);
    hook_ = std::move(hook);
  }

 private:
  void turned() {
    const MutexLock lock(mutex_);
    if (hook_) hook_();
  }

  std::atomic<Duration::rep> now_;
  std::atomic<Duration::rep> wall_;
  Mutex mutex_;
  std::function<void()> hook_ SSX_GUARDED_BY(mutex_);
};

}  // namespace ssx::test
