// Timers on a clock that is turned by hand: while a VirtualTime lives, a timerfd of ssx::sys fires
// when its ManualClock passes the time it is armed for, and never before.
//
//   test::ManualClock clock;
//   sim::VirtualTime time(clock);
//   clock.advance(30s);              // every loop whose timer is due by then wakes up
//
// Thread: any thread may arm and disarm; the clock is turned from any thread
// Owner:  the test
// Life:   made before the first timer is armed; ends before the clock. One at a time
// Bounds: epoll_wait's own timeout stays in real time: a loop must wait on its timerfd
#pragma once

#include "tests/support/manual_clock.h"

namespace ssx::sim {

class VirtualTime {
 public:
  explicit VirtualTime(test::ManualClock& clock);
  ~VirtualTime();
  VirtualTime(const VirtualTime&) = delete;
  VirtualTime& operator=(const VirtualTime&) = delete;

 private:
  test::ManualClock& clock_;
};

}  // namespace ssx::sim
