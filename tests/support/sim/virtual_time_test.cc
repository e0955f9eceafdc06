#include "tests/support/sim/virtual_time.h"

#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <optional>

#include "ssxrver/sys/event.h"
#include "tests/support/sim/kernel.h"

namespace ssx::sim {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

class VirtualTimeTest : public ::testing::Test {
 protected:
  test::ManualClock clock_;
  std::optional<VirtualTime> time_{std::in_place, clock_};
  sys::UniqueFd timer_ = sys::timerfd_create().value();

  std::uint64_t fired() { return sys::timerfd_take(timer_.get()).value(); }
};

TEST_F(VirtualTimeTest, FiresWhenTheClockReachesTheTimeAndOnlyOnce) {
  ASSERT_TRUE(sys::timerfd_arm(timer_.get(), clock_.now() + seconds(60)));
  clock_.advance(milliseconds(59'999));
  EXPECT_EQ(fired(), 0U);
  clock_.advance(milliseconds(1));
  EXPECT_EQ(fired(), 1U);
  clock_.advance(seconds(1000));
  EXPECT_EQ(fired(), 0U);
}

TEST_F(VirtualTimeTest, APastTimeFiresAtOnce) {
  ASSERT_TRUE(sys::timerfd_arm(timer_.get(), clock_.now()));
  EXPECT_EQ(fired(), 1U);
}

TEST_F(VirtualTimeTest, ArmingAgainMovesTheTimeAndForgetsTheOldOne) {
  ASSERT_TRUE(sys::timerfd_arm(timer_.get(), clock_.now()));
  ASSERT_TRUE(sys::timerfd_arm(timer_.get(), clock_.now() + seconds(2)));
  EXPECT_EQ(fired(), 0U);
  clock_.advance(seconds(2));
  EXPECT_EQ(fired(), 1U);
}

TEST_F(VirtualTimeTest, ADisarmedTimerStaysQuiet) {
  ASSERT_TRUE(sys::timerfd_arm(timer_.get(), clock_.now() + seconds(1)));
  ASSERT_TRUE(sys::timerfd_disarm(timer_.get()));
  clock_.advance(seconds(2));
  EXPECT_EQ(fired(), 0U);
}

TEST_F(VirtualTimeTest, AClosedTimerIsForgottenBeforeItsNumberIsUsedAgain) {
  ASSERT_TRUE(sys::timerfd_arm(timer_.get(), clock_.now() + seconds(1)));
  timer_ = sys::UniqueFd();
  timer_ = sys::timerfd_create().value();
  clock_.advance(seconds(2));
  EXPECT_EQ(fired(), 0U);
}

TEST_F(VirtualTimeTest, AfterwardsTimersAreTheKernelsAgain) {
  time_.reset();
  ASSERT_TRUE(sys::timerfd_arm(timer_.get(), SystemClock::instance().now() - seconds(1)));
  auto epoll = sys::epoll_create().value();
  ASSERT_TRUE(sys::epoll_add(epoll.get(), timer_.get(), EPOLLIN, nullptr));
  std::array<epoll_event, 1> events;
  EXPECT_EQ(sys::epoll_wait(epoll.get(), events, 10'000).value(), 1U);
}

TEST(VirtualTimeDeathTest, ASecondOneAtOnceIsAMistake) {
  test::ManualClock clock;
  const VirtualTime time(clock);
  EXPECT_DEATH(VirtualTime another(clock), "assertion failed");
}

}  // namespace
}  // namespace ssx::sim
