#include "ssxrver/plugin/sdk/timeout.h"

#include <gtest/gtest.h>

#include <chrono>

#include "tests/plugin/sdk/fake_host.h"
#include "tests/plugin/sdk/run_task.h"

namespace ssx::plugin {
namespace {

using namespace std::chrono_literals;

Task<int> five_after(Duration delay) {
  if (delay.count() > 0) co_await sleep_for(delay);
  co_return 5;
}

Task<> ask(Duration delay, int& result) {
  const auto value = co_await with_timeout(1s, five_after(delay));
  result = value ? *value : value.error().status();
}

TEST(PluginTimeout, WhatNeedNotWaitHasNoTimer) {
  FakeHost host;
  int result = 0;
  const Running running(ask(Duration::zero(), result));
  EXPECT_EQ(result, 5);
  EXPECT_TRUE(host.delays.empty());
}

TEST(PluginTimeout, WhatEndsInTimeTakesTheTimerBack) {
  FakeHost host;
  int result = 0;
  const Running running(ask(1ms, result));
  ASSERT_EQ(host.waits(), 2U);
  host.end_wait();  // the sleep of the task: it began first
  EXPECT_EQ(result, 5);
  EXPECT_EQ(host.waits(), 0U);
  EXPECT_EQ(host.cancelled(), 1);
}

TEST(PluginTimeout, WhatIsTooLateIsDestroyed) {
  FakeHost host;
  int result = 0;
  const Running running([](int& given) -> Task<> {
    const auto value = co_await with_timeout(1s, [](int& inner) -> Task<int> {
      co_await sleep_for(1h);
      inner = 99;
      co_return 5;
    }(given));
    given = value ? *value : value.error().status();
  }(result));
  ASSERT_EQ(host.delays.back(), 1'000'000'000);
  host.end_second_wait();
  EXPECT_EQ(result, SSXRVER_TIMED_OUT);
  EXPECT_EQ(host.waits(), 0U);
}

TEST(PluginTimeout, CancellingTakesBothBack) {
  FakeHost host;
  int result = 0;
  Running running(ask(1ms, result));
  running.cancel();
  EXPECT_EQ(host.waits(), 0U);
  EXPECT_EQ(host.cancelled(), 2);
  EXPECT_EQ(result, 0);
}

}  // namespace
}  // namespace ssx::plugin
