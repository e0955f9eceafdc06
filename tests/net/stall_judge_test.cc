#include "ssxrver/net/stall_judge.h"

#include <gtest/gtest.h>

#include <chrono>

#include "ssxrver/net/turn_mark.h"
#include "tests/support/manual_clock.h"

namespace ssx::net {
namespace {

using namespace std::chrono_literals;  // NOLINT(google-build-using-namespace): literals only

constexpr Duration kLimit = 10s;
constexpr Duration kInterval = 1s;

class StallJudgeTest : public testing::Test {
 protected:
  std::optional<Duration> look(TimePoint began) { return judge.look(began, clock.now()); }
  /// Looks as often as it is meant to, but not at whole intervals, until `began` is `age` ago; what
  /// the last look said.
  std::optional<Duration> look_until(TimePoint began, Duration age) {
    clock.advance(kInterval / 3);
    std::optional<Duration> said = look(began);
    while (clock.now() < began + age) {
      EXPECT_FALSE(said.has_value());
      clock.advance(std::min<Duration>(kInterval, began + age - clock.now()));
      said = look(began);
    }
    return said;
  }

  test::ManualClock clock;
  StallJudge judge{kLimit, kInterval, clock.now()};
};

TEST_F(StallJudgeTest, ATurnAsLongAsTheLimitIsTooLong) {
  for (const Duration age : {kLimit - 1ns, kLimit, kLimit + 1ns}) {
    judge = StallJudge(kLimit, kInterval, clock.now());
    clock.advance(300ms);
    const auto said = look_until(clock.now(), age);
    EXPECT_EQ(said.has_value(), age >= kLimit) << age.count();
    EXPECT_EQ(said.value_or(age), age);
    clock.advance(1h);
  }
}

TEST_F(StallJudgeTest, ATurnIsAsOldAsItIsAtTheFirstLook) {
  clock.advance(900ms);
  const TimePoint began = clock.now() - 800ms;
  EXPECT_FALSE(look(began));
  EXPECT_EQ(look_until(began, kLimit), kLimit);
}

TEST_F(StallJudgeTest, ALoopThatWaitsIsNeverTooLong) {
  for (int i = 0; i < 1000; ++i) {
    clock.advance(kInterval);
    EXPECT_FALSE(look(TurnMark::kNone));
  }
}

TEST_F(StallJudgeTest, ManyTurnsInARowAreEachJudgedAlone) {
  for (int i = 0; i < 1000; ++i) {
    const TimePoint began = clock.now();
    EXPECT_FALSE(look_until(began, kLimit - 1ns)) << i;
  }
}

TEST_F(StallJudgeTest, WaitingInBetweenBeginsAnew) {
  EXPECT_FALSE(look_until(clock.now(), kLimit - 1ns));
  EXPECT_FALSE(look(TurnMark::kNone));
  EXPECT_FALSE(look_until(clock.now(), kLimit - 1ns));
}

TEST_F(StallJudgeTest, TimeInWhichNobodyRanDoesNotCount) {
  const TimePoint began = clock.now();
  EXPECT_FALSE(look_until(began, 2s));
  clock.advance(1h);  // SIGSTOP .. SIGCONT
  EXPECT_FALSE(look(began));
  EXPECT_FALSE(look_until(began, 2s + 1h + kLimit - 2s - StallJudge::kLateness * kInterval - 1ns));
  clock.advance(1ns);
  EXPECT_EQ(look(began), kLimit);
}

TEST_F(StallJudgeTest, NeitherDoesItForATurnThatIsSeenForTheFirstTime) {
  const TimePoint began = clock.now() + 500ms;
  clock.advance(1h);
  EXPECT_FALSE(look(began));
  EXPECT_FALSE(look_until(began, 1h - 500ms + kLimit - StallJudge::kLateness * kInterval - 1ns));
  clock.advance(1ns);
  EXPECT_EQ(look(began), kLimit);
}

TEST_F(StallJudgeTest, AWatcherThatIsALittleLateLosesNothing) {
  const TimePoint began = clock.now();
  for (int i = 0; i < 4; ++i) {
    clock.advance(StallJudge::kLateness * kInterval);
    EXPECT_FALSE(look(began));
  }
  clock.advance(StallJudge::kLateness * kInterval);
  EXPECT_EQ(look(began), kLimit);
}

}  // namespace
}  // namespace ssx::net
