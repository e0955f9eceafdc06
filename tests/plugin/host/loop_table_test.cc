// The interface "ssxrver.loop".
#include <gmock/gmock.h>

#include <latch>

#include "tests/plugin/host/plugin_fixture.h"

namespace ssx::plugins {
namespace {

using test::FakePlugin;

class PluginLoopTable : public test::PluginTest {
 protected:
  void SetUp() override {
    app->options().tasks.threads = 1;
    app->options().tasks.queue_limit = 1;
    serve();
  }
  ~PluginLoopTable() override { end(); }
  [[nodiscard]] const ssxrver_loops& loops() const { return plugin.loops(); }
  [[nodiscard]] ssxrver_context* context() const { return plugin.context(); }
  ssxrver_waiter waiter() {
    return {[](void* to, std::int32_t status) {
              auto& test = *static_cast<PluginLoopTable*>(to);
              test.last_status = status;
              ++test.told;
            },
            this};
  }
  static void take_back(void* to, std::int32_t) {
    auto& test = *static_cast<PluginLoopTable*>(to);
    test.loops().cancel(test.wait);
    ++test.told;
  }
  static void run(void* to) {
    auto& test = *static_cast<PluginLoopTable*>(to);
    ++test.ran;
    if (test.on_run) test.on_run();
  }
  static void release(void* to) { ++static_cast<PluginLoopTable*>(to)->freed; }

  std::atomic<int> told = 0;
  std::atomic<int> last_status = 77;
  std::atomic<int> ran = 0;
  std::atomic<int> freed = 0;
  std::function<void()> on_run;
  ssxrver_wait* wait = nullptr;
  ssxrver_timer* timer = nullptr;
  static constexpr std::int64_t kHour = 3'600'000'000'000;
};

TEST_F(PluginLoopTable, KnowsItsLoops) {
  EXPECT_EQ(loops().worker_count(context()), 2U);
  EXPECT_EQ(loops().current(context()), nullptr);
  on_loop(
      [this] {
        EXPECT_EQ(loops().current(context()), environment.loop(1));
        EXPECT_EQ(loops().now(context()),
                  net::EventLoop::current()->now().time_since_epoch().count());
        EXPECT_EQ(loops().current(nullptr), nullptr);
      },
      1);
  EXPECT_GT(loops().now(nullptr), 0);
}

TEST_F(PluginLoopTable, SleepsAndTellsLater) {
  on_loop([this] {
    EXPECT_EQ(plugin.nap(-5, waiter(), &wait), SSXRVER_PENDING);
    EXPECT_EQ(told, 0) << "never inside of the call";
    EXPECT_EQ(held(), 1U);
  });
  EXPECT_TRUE(wait_until([this] { return told == 1 && held() == 0; }));
  EXPECT_EQ(last_status, SSXRVER_OK);
}

TEST_F(PluginLoopTable, SleepsForNobodyInParticular) {
  on_loop([this] {
    EXPECT_EQ(plugin.nap_of(nullptr, 0, waiter(), &wait), SSXRVER_PENDING);
    EXPECT_EQ(held(), 0U);
  });
  EXPECT_TRUE(wait_until([this] { return told == 1; }));
}

TEST_F(PluginLoopTable, TellsNobodyWhoHasTakenItBack) {
  on_loop([this] {
    EXPECT_EQ(plugin.nap(0, waiter(), &wait), SSXRVER_PENDING);
    loops().cancel(wait);
    loops().cancel(nullptr);
    EXPECT_EQ(held(), 0U);
  });
  on_loop([] {});
  EXPECT_EQ(told, 0);
}

TEST_F(PluginLoopTable, TakesBackAWaitThatIsBeingToldOf) {
  on_loop([this] { EXPECT_EQ(plugin.nap(0, {&take_back, this}, &wait), SSXRVER_PENDING); });
  EXPECT_TRUE(wait_until([this] { return told == 1 && held() == 0; }));
}

TEST_F(PluginLoopTable, TellsWhoStillWaitsWhenTheLoopEnds) {
  on_loop([this] {
    EXPECT_EQ(plugin.nap(kHour, waiter(), &wait), SSXRVER_PENDING);
    EXPECT_EQ(loops().timer(context(), kHour, 0, &run, &release, this, &timer), SSXRVER_OK);
  });
  stop_server();
  EXPECT_EQ(told, 1);
  EXPECT_EQ(last_status, SSXRVER_CLOSED);
  EXPECT_EQ(freed, 1);
  EXPECT_EQ(ran, 0);
}

TEST_F(PluginLoopTable, WaitsOnLoopsAlone) {
  EXPECT_EQ(plugin.nap(0, waiter(), &wait), SSXRVER_WRONG_THREAD);
  EXPECT_EQ(loops().timer(context(), 0, 0, &run, &release, this, &timer), SSXRVER_WRONG_THREAD);
  EXPECT_EQ(loops().run_task(context(), &run, &release, this, waiter(), &wait),
            SSXRVER_WRONG_THREAD);
  EXPECT_EQ(freed, 2) << "released in any case";
  EXPECT_EQ(held(), 0U);
}

TEST_F(PluginLoopTable, RefusesWhatCannotBe) {
  on_loop([this] {
    EXPECT_EQ(loops().timer(context(), -1, 0, &run, &release, this, &timer), SSXRVER_INVALID);
    EXPECT_EQ(loops().timer(context(), 0, -1, &run, &release, this, &timer), SSXRVER_INVALID);
    EXPECT_EQ(loops().timer(context(), 0, 0, nullptr, &release, this, &timer), SSXRVER_INVALID);
    EXPECT_EQ(loops().run_task(context(), nullptr, &release, this, waiter(), &wait),
              SSXRVER_INVALID);
  });
  EXPECT_EQ(loops().post(context(), 2, &run, &release, this), SSXRVER_INVALID);
  EXPECT_EQ(loops().post(context(), 0, nullptr, &release, this), SSXRVER_INVALID);
  EXPECT_EQ(freed, 6);
}

TEST_F(PluginLoopTable, FiresATimerOnce) {
  on_loop([this] {
    EXPECT_EQ(loops().timer(context(), 1000, 0, &run, &release, this, &timer), SSXRVER_OK);
  });
  EXPECT_TRUE(wait_until([this] { return freed == 1 && held() == 0; }));
  EXPECT_EQ(ran, 1);
}

TEST_F(PluginLoopTable, FiresATimerAgainAndAgainUntilItIsCancelledFromInside) {
  on_run = [this] {
    if (ran == 3) loops().cancel_timer(timer);
  };
  on_loop([this] {
    EXPECT_EQ(loops().timer(context(), 0, 100'000, &run, &release, this, &timer), SSXRVER_OK);
  });
  EXPECT_TRUE(wait_until([this] { return freed == 1 && held() == 0; }));
  EXPECT_EQ(ran, 3);
}

TEST_F(PluginLoopTable, CancelsATimerThatWaits) {
  on_loop([this] {
    EXPECT_EQ(loops().timer(context(), 0, 0, &run, &release, this, &timer), SSXRVER_OK);
  });
  on_loop([this] {
    if (freed == 1) return;  // it has fired meanwhile
  });
  on_loop([this] {
    EXPECT_EQ(loops().timer(context(), kHour, kHour, &run, &release, this, &timer), SSXRVER_OK);
    const int before = freed;
    loops().cancel_timer(timer);
    EXPECT_EQ(freed, before + 1);
    loops().cancel_timer(nullptr);
  });
}

TEST_F(PluginLoopTable, CancelsATimerOnItsLoopAlone) {
  on_loop([this] {
    EXPECT_EQ(loops().timer(context(), kHour, 0, &run, &release, this, &timer), SSXRVER_OK);
  });
  loops().cancel_timer(timer);
  EXPECT_EQ(count(&Counters::misuses), 1U);
  EXPECT_EQ(freed, 0);
  on_loop([this] { loops().cancel_timer(timer); });
  EXPECT_EQ(freed, 1);
}

TEST_F(PluginLoopTable, PostsFromAnyThread) {
  std::atomic<std::uint32_t> seen = 99;
  on_run = [this, &seen] { seen = *environment.current_worker(); };
  EXPECT_EQ(loops().post(context(), 1, &run, &release, this), SSXRVER_OK);
  EXPECT_TRUE(wait_until([this] { return freed == 1 && held() == 0; }));
  EXPECT_EQ(seen, 1U);
  on_run = nullptr;
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([this] {
      for (std::uint32_t j = 0; j < 100; ++j)
        EXPECT_EQ(loops().post(context(), j % 2, &run, &release, this), SSXRVER_OK);
    });
  }
  for (std::thread& each : threads) each.join();
  EXPECT_TRUE(wait_until([this] { return freed == 401 && held() == 0; }));
  EXPECT_EQ(ran, 401);
}

TEST_F(PluginLoopTable, PostsToNoLoopThatHasEnded) {
  stop_server();
  EXPECT_EQ(loops().post(context(), 0, &run, &release, this), SSXRVER_CLOSED);
  EXPECT_EQ(freed, 1);
}

TEST_F(PluginLoopTable, RunsATaskAndTellsAtHome) {
  std::atomic<bool> was_loop = true;
  on_run = [&was_loop] { was_loop = net::EventLoop::current() != nullptr; };
  on_loop([this] {
    EXPECT_EQ(loops().run_task(context(), &run, &release, this, waiter(), &wait), SSXRVER_PENDING);
  });
  EXPECT_TRUE(wait_until([this] { return told == 1 && freed == 1 && held() == 0; }));
  EXPECT_EQ(last_status, SSXRVER_OK);
  EXPECT_FALSE(was_loop);
}

TEST_F(PluginLoopTable, SaysThatTheTaskThrew) {
  on_run = [] { throw 5; };
  on_loop([this] {
    EXPECT_EQ(loops().run_task(context(), &run, &release, this, waiter(), &wait), SSXRVER_PENDING);
  });
  EXPECT_TRUE(wait_until([this] { return told == 1 && freed == 1; }));
  EXPECT_EQ(last_status, SSXRVER_ERROR);
}

TEST_F(PluginLoopTable, SaysThatTheQueueIsFull) {
  std::latch go(1);
  on_run = [&go] { go.wait(); };
  on_loop([this] {  // one runs, one waits
    EXPECT_EQ(loops().run_task(context(), &run, &release, this, waiter(), &wait), SSXRVER_PENDING);
  });
  ASSERT_TRUE(wait_until([this] { return ran == 1; }));
  on_loop([this] {
    EXPECT_EQ(loops().run_task(context(), &run, &release, this, waiter(), &wait), SSXRVER_PENDING);
    EXPECT_EQ(loops().run_task(context(), &run, &release, this, waiter(), &wait), SSXRVER_PENDING);
  });
  EXPECT_TRUE(wait_until([this] { return told == 1; }));
  EXPECT_EQ(last_status, SSXRVER_LIMIT);
  go.count_down();
  EXPECT_TRUE(wait_until([this] { return told == 3 && freed == 3 && held() == 0; }));
}

TEST_F(PluginLoopTable, DoesNotTellOfATaskThatWasTakenBack) {
  std::latch go(1);
  on_run = [&go] { go.wait(); };
  on_loop([this] {
    EXPECT_EQ(loops().run_task(context(), &run, &release, this, waiter(), &wait), SSXRVER_PENDING);
  });
  ASSERT_TRUE(wait_until([this] { return ran == 1; }));
  on_loop([this] { loops().cancel(wait); });
  EXPECT_EQ(instance->leases().to_string(), "1 task") << "that still runs";
  go.count_down();
  EXPECT_TRUE(wait_until([this] { return freed == 1 && held() == 0; }));
  EXPECT_EQ(told, 0);
}

}  // namespace
}  // namespace ssx::plugins
