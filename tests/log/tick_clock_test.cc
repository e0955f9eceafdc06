#include "ssxrver/log/tick_clock.h"

#include <gtest/gtest.h>

#include <cerrno>
#include <chrono>
#include <thread>

#include "tests/support/sim/kernel.h"

namespace ssx::log {
namespace {

using std::chrono::milliseconds;
using std::chrono::system_clock;

class TickClockTest : public testing::TestWithParam<bool> {
 protected:
  TickClockTest() {
    ticks_ = TickClock::choose_source();
    if (!GetParam()) TickClock::use_ticks_for_test(false);
  }
  ~TickClockTest() override { TickClock::choose_source(); }
  bool ticks_ = false;
};

INSTANTIATE_TEST_SUITE_P(WithAndWithoutTicks, TickClockTest, testing::Bool());

TEST_P(TickClockTest, StampsBecomeTheTimeAtWhichTheyWereMade) {
  TickClock clock;
  const auto until = std::chrono::steady_clock::now() + milliseconds(50);
  while (std::chrono::steady_clock::now() < until) {
    const auto before = system_clock::now();
    const std::uint64_t stamp = TickClock::stamp();
    const auto after = system_clock::now();
    std::this_thread::yield();
    clock.synchronise();
    const WallTime shown = clock.wall(stamp);
    ASSERT_GE(shown, before - milliseconds(1));
    ASSERT_LE(shown, after + milliseconds(1));
  }
}

TEST_P(TickClockTest, StampsOfOneThreadDoNotGoBack) {
  std::uint64_t last = 0;
  for (int i = 0; i < 100'000; ++i) {
    const std::uint64_t stamp = TickClock::stamp();
    ASSERT_GE(stamp, last);
    last = stamp;
  }
}

TEST(TickClock, DoesWithoutTicksThatTheKernelDoesNotTrust) {
  {
    sim::FaultPlan plan;
    plan.fail(sim::Call::kOpen, ENOENT);
    EXPECT_FALSE(TickClock::choose_source());
  }
  sim::FaultPlan plan;
  plan.fail(sim::Call::kRead, EIO);
  EXPECT_FALSE(TickClock::choose_source());
}

}  // namespace
}  // namespace ssx::log
