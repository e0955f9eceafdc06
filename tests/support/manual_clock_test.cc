#include "tests/support/manual_clock.h"

#include <gtest/gtest.h>

#include <chrono>

namespace ssx::test {
namespace {

using std::chrono::seconds;

TEST(ManualClock, StandsStillUntilItIsTurned) {
  const ManualClock clock;
  EXPECT_EQ(clock.now(), clock.now());
  EXPECT_GT(clock.now(), TimePoint());
  EXPECT_EQ(std::chrono::system_clock::to_time_t(clock.wall_now()), 784111777);
}

TEST(ManualClock, AdvanceTurnsBothHands) {
  ManualClock clock;
  const TimePoint now = clock.now();
  const WallTime wall = clock.wall_now();
  clock.advance(seconds(90));
  EXPECT_EQ(clock.now() - now, seconds(90));
  EXPECT_EQ(clock.wall_now() - wall, seconds(90));
}

TEST(ManualClock, TheCivilTimeMayJumpAlone) {
  ManualClock clock;
  const TimePoint now = clock.now();
  clock.set_wall(WallTime(seconds(5)));
  EXPECT_EQ(clock.wall_now(), WallTime(seconds(5)));
  EXPECT_EQ(clock.now(), now);
}

TEST(ManualClock, TellsWhenItWasTurned) {
  ManualClock clock;
  TimePoint seen;
  clock.on_turn([&clock, &seen] { seen = clock.now(); });
  clock.advance(seconds(1));
  EXPECT_EQ(seen, clock.now());
  clock.on_turn(nullptr);
  clock.advance(seconds(1));
  EXPECT_EQ(clock.now() - seen, seconds(1));
}

TEST(ManualClockDeathTest, NeverGoesBack) {
  ManualClock clock;
  EXPECT_DEATH(clock.advance(seconds(-1)), "assertion failed");
}

}  // namespace
}  // namespace ssx::test
