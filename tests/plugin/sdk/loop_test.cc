#include "ssxrver/plugin/sdk/loop.h"

#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <stdexcept>
#include <utility>

#include "tests/plugin/sdk/fake_host.h"
#include "tests/plugin/sdk/run_task.h"

namespace ssx::plugin {
namespace {

using namespace std::chrono_literals;

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
  {
    Timer timer(host.context(), 1ns, 1ns, [&fired] { ++fired; });
    Timer moved = std::move(timer);
    host.timers.front()->fire(host.timers.front()->state);
    EXPECT_EQ(fired, 1);
    EXPECT_TRUE(moved.is_running());
    Timer other(host.context(), 1ns, 1ns, [] { throw std::runtime_error("nobody is told"); });
    host.timers.back()->fire(host.timers.back()->state);
    EXPECT_EQ(host.timers.size(), 2U);
    other = std::move(moved);
    EXPECT_EQ(host.timers.size(), 1U) << "the one that it was is cancelled";
  }
  EXPECT_TRUE(host.timers.empty());
}

TEST(PluginTimer, KnowsThatTheHostHasEndedIt) {
  FakeHost host;
  Timer timer(host.context(), 1ns, 0ns, [] {});
  Timer moved = std::move(timer);
  EXPECT_TRUE(moved.is_running());
  host.timers.front()->release(host.timers.front()->state);
  EXPECT_FALSE(moved.is_running());
  host.timers.clear();  // whoever cancelled it now would find nothing
}

TEST(PluginTimer, OfAnotherThreadIsNone) {
  FakeHost host;
  host.refuses_timers = true;
  const Timer timer(host.context(), 1ns, 0ns, [] {});
  EXPECT_FALSE(timer.is_running());
}

}  // namespace
}  // namespace ssx::plugin
