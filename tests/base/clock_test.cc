#include "ssxrver/base/clock.h"

#include <gtest/gtest.h>

#include "tests/support/manual_clock.h"

namespace ssx {
namespace {

TEST(SystemClock, GoesForwardOnly) {
  const Clock& clock = SystemClock::instance();
  TimePoint last = clock.now();
  for (int i = 0; i < 1000; ++i) {
    const TimePoint next = clock.now();
    EXPECT_GE(next, last);
    last = next;
  }
}

TEST(SystemClock, TheCoarseReadingIsAMomentOldAndNeverAhead) {
  const Clock& clock = SystemClock::instance();
  const TimePoint before = clock.now() - std::chrono::milliseconds(20);  // a tick is 1 to 10 ms
  const TimePoint coarse = clock.coarse_now();
  EXPECT_GE(coarse, before);
  EXPECT_LE(coarse, clock.now());
}

TEST(SystemClock, WallTimeIsTheSystems) {
  const auto seen = SystemClock::instance().wall_now();
  const auto now = std::chrono::system_clock::now();
  EXPECT_LT(std::chrono::abs(now - seen), std::chrono::minutes(1));
}

TEST(Clock, AClockWithoutACoarseReadingGivesItsFineOne) {
  test::ManualClock clock;
  clock.advance(std::chrono::nanoseconds(7));
  EXPECT_EQ(static_cast<const Clock&>(clock).coarse_now(), clock.now());
}

}  // namespace
}  // namespace ssx
