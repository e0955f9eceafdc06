#include "ssxrver/log/doorbell.h"

#include <gtest/gtest.h>

#include <chrono>
#include <thread>

#include "tests/support/fail_at_nth.h"

namespace ssx::log {
namespace {

using std::chrono::milliseconds;

TEST(Doorbell, ManyRingsWakeOnce) {
  const auto bell = Doorbell::create();
  ASSERT_TRUE(bell);
  bell->ring();
  bell->ring();
  EXPECT_TRUE(bell->wait(milliseconds(0)));
  EXPECT_FALSE(bell->wait(milliseconds(0)));
}

TEST(Doorbell, WakesASleepingThread) {
  const auto bell = Doorbell::create();
  ASSERT_TRUE(bell);
  std::thread sleeper([&bell] { EXPECT_TRUE(bell->wait(milliseconds(30'000))); });
  bell->ring();
  sleeper.join();
}

TEST(Doorbell, IsMadeWholeOrNotAtAll) {
  const auto failed = sim::fail_at_nth([](const sim::FaultPlan& plan) {
    const auto bell = Doorbell::create();
    EXPECT_EQ(bell.has_value(), plan.faults() == 0);
  });
  EXPECT_GE(failed, 3U);
}

}  // namespace
}  // namespace ssx::log
