#include "ssxrver/plugin/sdk/loop.h"

#include <gtest/gtest.h>

#include <memory>
#include <stdexcept>
#include <utility>

#include "tests/plugin/sdk/fake_host.h"
#include "tests/plugin/sdk/run_task.h"

namespace ssx::plugin {
namespace {

TEST(PluginTasks, BringTheResultHome) {
  FakeHost host;
  int got = 0;
  Running running([](FakeHost& given, int& result) -> Task<> {
    auto job = Tasks(given.context()).run([] { return 42; });
    const auto value = co_await job;
    result = value.value_or(-1);
  }(host, got));
  EXPECT_EQ(got, 0);
  host.end_wait();
  EXPECT_EQ(got, 42);
}

TEST(PluginTasks, SayWhyNothingRan) {
  FakeHost host;
  std::int32_t status = 0;
  Running running([](FakeHost& given, std::int32_t& result) -> Task<> {
    auto job = Tasks(given.context()).run([] {});
    const auto value = co_await job;
    if (!value) result = value.error().status();
  }(host, status));
  host.end_wait(SSXRVER_LIMIT);
  EXPECT_EQ(status, SSXRVER_LIMIT);
}

TEST(PluginTasks, ThrowHereWhatWasThrownThere) {
  FakeHost host;
  bool is_caught = false;
  Running running([](FakeHost& given, bool& caught) -> Task<> {
    auto job = Tasks(given.context()).run([]() -> int { throw std::runtime_error("there"); });
    try {
      (void)co_await job;
    } catch (const std::runtime_error&) {
      caught = true;
    }
  }(host, is_caught));
  host.end_wait();
  EXPECT_TRUE(is_caught);
}

TEST(PluginTimer, FiresUntilItGoes) {
  FakeHost host;
  int fired = 0;
  auto count = [&fired] { ++fired; };
  using Fire = internal::Carried<decltype(count)>;
  ssxrver_timer* raw = nullptr;
  void* const state = Fire::make(std::move(count));
  ASSERT_EQ(
      internal::tables.loops->timer(host.context(), 1, 1, &Fire::run, &Fire::release, state, &raw),
      SSXRVER_OK);
  {
    Timer timer(raw);
    Timer moved = std::move(timer);
    host.timers.front()->fire(host.timers.front()->state);
    EXPECT_EQ(fired, 1);
  }
  EXPECT_TRUE(host.timers.empty());
}

}  // namespace
}  // namespace ssx::plugin
