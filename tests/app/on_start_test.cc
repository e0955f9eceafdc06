// What an App does before it serves: App::on_start().
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <future>
#include <stdexcept>
#include <string>
#include <vector>

#include "ssxrver/base/scope_exit.h"
#include "ssxrver/net/awaitables.h"
#include "ssxrver/net/event_loop.h"
#include "ssxrver/net/task_pool.h"
#include "tests/app/app_fixture.h"

namespace ssx {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::IsEmpty;
using Steps = std::vector<std::string>;

class OnStart : public test::AppTest {
 protected:
  OnStart() {
    app->get("/", [](const http::Request&) { return "hello"; }).listen(0);
    app->options().tasks.threads = 1;
  }
  /// One that says its name.
  App::StartStep step(std::string name) {
    return [this, name]() -> Task<StartupResult<void>> {
      steps.push_back(name);
      co_return StartupResult<void>();
    };
  }
  /// One that never ends, and says that it has begun and that it was cancelled.
  App::StartStep endless() {
    return [this]() -> Task<StartupResult<void>> {
      const ScopeExit leaving([this] { was_cancelled = true; });
      begun.set_value();
      co_await net::sleep_for(1h);
      co_return StartupResult<void>();
    };
  }

  Steps steps;  ///< the App's thread, until start() has returned
  std::promise<void> begun;
  std::atomic<bool> was_cancelled{false};
};

TEST_F(OnStart, RunsEachStepBeforeTheWorkersStart) {
  app->on_start(step("one"))
      .on_start([this]() -> Task<StartupResult<void>> {
        EXPECT_EQ(net::EventLoop::current(), &app->loop());
        co_await net::sleep_for(1ms);
        auto job = app->tasks().run([] { return 7; });
        const auto seven = co_await job;
        EXPECT_EQ(seven.value(), 7);
        steps.emplace_back("two");
        co_return StartupResult<void>();
      })
      .on_start(step("three"))
      .workers(1)
      .on_worker_start([this](net::Worker&) { steps.emplace_back("worker"); });
  const auto port = start();
  EXPECT_EQ(ask(port, "/").body, "hello");
  end();
  EXPECT_THAT(steps, ElementsAre("one", "two", "three", "worker"));
}

TEST_F(OnStart, ClientsWaitMeanwhile) {
  std::promise<std::uint16_t> port;
  std::promise<void> go;
  std::atomic<bool> is_ready{false};
  app->get("/ready", [&is_ready](const http::Request&) { return is_ready ? "ready" : "early"; });
  app->on_start([&, this]() -> Task<StartupResult<void>> {
    port.set_value(port_of(0));
    auto job = app->tasks().run([&go] { go.get_future().wait(); });
    std::ignore = co_await job;
    is_ready = true;
    co_return StartupResult<void>();
  });
  auto started = std::async(std::launch::async, [this] { return app->start().has_value(); });
  auto client = test::RawClient::tcp(port.get_future().get());
  client.send(get("/ready"));
  go.set_value();
  EXPECT_EQ(client.read_response().body, "ready");
  EXPECT_TRUE(started.get());
  end();
}

TEST_F(OnStart, TheFirstThatFailsIsTheError) {
  app->on_start([]() -> Task<StartupResult<void>> {
       co_await net::sleep_for(1ms);
       co_return fail_start(ExitCode::kNoInput, "there is no table");
     })
      .on_start(step("never"));
  const auto started = app->start();
  ASSERT_FALSE(started);
  EXPECT_EQ(started.error().code(), ExitCode::kNoInput);
  EXPECT_THAT(started.error().sentences(), ElementsAre("there is no table"));
  EXPECT_THAT(steps, IsEmpty());
}

TEST_F(OnStart, AStepThatThrowsIsAnError) {
  app->on_start([]() -> Task<StartupResult<void>> {
    co_await net::sleep_for(1ms);
    throw std::runtime_error("oops");
  });
  const auto started = app->start();
  ASSERT_FALSE(started);
  EXPECT_EQ(started.error().code(), ExitCode::kSoftware);
}

TEST_F(OnStart, StopCancelsTheStepThatRuns) {
  app->on_start(endless()).on_start(step("never"));
  auto started = std::async(std::launch::async, [this] { return app->start().has_value(); });
  begun.get_future().wait();
  app->stop();
  EXPECT_TRUE(started.get());  // it has ended as it was told to
  app->wait();
  EXPECT_TRUE(was_cancelled);
  EXPECT_THAT(steps, IsEmpty());
}

TEST_F(OnStart, DrainCancelsTheStepThatRuns) {
  app->on_start(endless());
  auto started = std::async(std::launch::async, [this] { return app->start().has_value(); });
  begun.get_future().wait();
  app->drain(0s, 5s);
  EXPECT_TRUE(started.get());
  app->wait();
  EXPECT_TRUE(was_cancelled);
}

}  // namespace
}  // namespace ssx
