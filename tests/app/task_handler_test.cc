#include "ssxrver/app/task_handler.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "http/error.h"
#include "http/service.h"
#include "ssxrver/net/task_pool.h"
#include "ssxrver/net/timeout.h"
#include "ssxrver/ssxrver.h"
#include "tests/app/app_fixture.h"
#include "tests/support/captured_log.h"
#include "tests/websocket/frames.h"

namespace ssx {
namespace {

using namespace std::chrono_literals;  // NOLINT(google-build-using-namespace): literals only
using http::Request;
using http::Response;
using http::Status;
using test::RawClient;
using test::RawResponse;
using testing::HasSubstr;

/// Throws where nobody looks for it: at the end of a scope.
struct ThrowsAtItsEnd {
  ThrowsAtItsEnd() = default;
  ThrowsAtItsEnd(const ThrowsAtItsEnd&) = delete;
  ThrowsAtItsEnd& operator=(const ThrowsAtItsEnd&) = delete;
  ~ThrowsAtItsEnd() noexcept(false) { throw std::runtime_error("from a destructor"); }
};

Response throw_as_asked(const Request& request) {
  if (request.param("what") == "int") throw 7;
  if (request.param("what") == "end") {
    const ThrowsAtItsEnd here;
    return Status::kOk;
  }
  throw std::runtime_error("out of luck");
}

Task<Response> throw_as_asked_later(const Request& request) {
  if (request.param("what") == "int") throw 7;
  if (request.param("what") == "end") {
    const ThrowsAtItsEnd here;
    co_return Status::kOk;
  }
  throw std::runtime_error("out of luck");
}

void wait_for_stop(const std::stop_token& stop) {
  std::mutex mutex;
  std::condition_variable_any asked;
  std::unique_lock lock(mutex);
  asked.wait(lock, stop, [] { return false; });
}

class TaskHandlers : public test::AppTest {
 protected:
  TaskHandlers() {
    app->options().tasks.threads = 1;
    app->listen(0);
  }
  ~TaskHandlers() override {  // before what the handlers use
    go_on = true;
    go_on.notify_all();
    end();
  }
  /// Held until `go_on`.
  void add_waiting_route() {
    app->get("/wait",
             [this](const Request&) {
               ++begun;
               begun.notify_all();
               go_on.wait(false);
               return "done";
             },
             {.run_on = RunOn::kTasks});
  }
  /// Held until it is asked to stop. With a brief `handler_timeout` it may never have begun.
  void add_stoppable_route(RouteSettings settings = {}) {
    settings.run_on = RunOn::kTasks;
    app->get(
        "/until",
        [this](const Request& request) {
          ++begun;
          begun.notify_all();
          wait_for_stop(request.stop_token());
          return "nobody reads this";
        },
        std::move(settings));
  }
  static RawClient send(std::uint16_t port, std::string_view target) {
    RawClient client = RawClient::tcp(port);
    client.send(get(target));
    return client;
  }
  template <class Count>
  static void wait_until(Count count, std::uint64_t value) {
    const auto end = std::chrono::steady_clock::now() + 20s;
    while (count() < value && std::chrono::steady_clock::now() < end) std::this_thread::yield();
    EXPECT_EQ(count(), value);
  }
  std::uint64_t refused() {
    std::uint64_t sum = 0;
    for (std::uint32_t i = 0; i < app->service().worker_count(); ++i)
      sum += app->service().worker(i).counters.of(http::Errc::kOverloaded).value();
    return sum;
  }
  std::uint64_t thrown() {
    std::uint64_t sum = 0;
    for (std::uint32_t i = 0; i < app->service().worker_count(); ++i)
      sum += app->service().worker(i).counters.handler_errors.value();
    return sum;
  }

  std::atomic<int> begun{0};
  std::atomic<bool> go_on{false};
};

class StoppedPool : public test::AppTest {
 protected:
  StoppedPool() {
    pool->stop(net::TaskPool::Pending::kDrop);
    app->listen(0);
  }
  ~StoppedPool() override {  // before what its routes use
    end();
    app.reset();
  }

  std::unique_ptr<net::TaskPool> pool = *net::TaskPool::start({.threads = 1});
  net::Disposal disposal;
};

// ---- the queue

TEST_F(TaskHandlers, AreRefusedAboveTheLimitOfTheQueueAndNotBelow) {
  constexpr int kLimit = 3;
  app->options().tasks.queue_limit = kLimit;
  add_waiting_route();
  const auto port = start();
  const net::TaskCounters& counters = app->tasks().counters();
  std::vector<RawClient> clients;
  clients.push_back(send(port, "/wait"));
  begun.wait(0);  // the first runs, and no longer waits
  for (int waiting = 1; waiting <= kLimit; ++waiting) {
    clients.push_back(send(port, "/wait"));
    wait_until([&counters] { return static_cast<std::uint64_t>(counters.queued.value()); },
               static_cast<std::uint64_t>(waiting));
    EXPECT_EQ(counters.queue_limit_hit.value(), 0u) << waiting;
  }
  RawClient above = send(port, "/wait");
  const RawResponse refusal = above.read_response();
  EXPECT_EQ(refusal.status, 503);
  EXPECT_EQ(refusal.field("Retry-After"), "1");
  EXPECT_EQ(counters.queue_limit_hit.value(), 1u);
  EXPECT_EQ(refused(), 1u);
  go_on = true;
  go_on.notify_all();
  for (RawClient& client : clients) EXPECT_EQ(client.read_response().body, "done");
  above.send(get("/wait"));  // who was refused may come again, on the same connection
  EXPECT_EQ(above.read_response().body, "done");
  EXPECT_EQ(refused(), 1u);
}

TEST_F(TaskHandlers, NeedATaskThread) {
  app->options().tasks.threads = 0;
  add_waiting_route();
  const auto started = app->start();
  ASSERT_FALSE(started.has_value());
  EXPECT_THAT(started.error().text(), HasSubstr("route \"/wait\": there is no task thread"));
}

TEST_F(TaskHandlers, NeedNoneWhereTheLoopMayDoTheirWork) {
  app->options().tasks = {.threads = 0, .overflow = net::TaskOverflow::kRunOnLoop};
  go_on = true;
  add_waiting_route();
  EXPECT_EQ(ask(start(), "/wait").body, "done");
}

TEST_F(StoppedPool, IsNoOverload) {
  app->route({http::Method::kGet}, "/",
             run_on_tasks(pool, disposal, http::Handler([](const Request&) { return "x"; })));
  const RawResponse answer = ask(start(), "/");
  EXPECT_EQ(answer.status, 500);
  EXPECT_EQ(answer.field("Retry-After"), "");
}

// ---- the end of who asked

TEST_F(TaskHandlers, E04AreAskedToStopWhenTheirClientGoes) {
  add_stoppable_route();
  const auto port = start();
  {
    const RawClient client = send(port, "/until");
    begun.wait(0);
  }
  const net::TaskCounters& counters = app->tasks().counters();
  wait_until([&counters] { return counters.late.value(); }, 1);
  EXPECT_EQ(counters.done.value(), 0u);
}

TEST_F(TaskHandlers, E04AreAskedToStopWhenTheirTimeHasPassed) {
  add_stoppable_route({.handler_timeout = 50ms});
  const auto port = start();
  EXPECT_EQ(ask(port, "/until").status, 503);
  const net::TaskCounters& counters = app->tasks().counters();
  wait_until([&counters] { return counters.late.value() + counters.abandoned.value(); }, 1);
  EXPECT_EQ(counters.done.value(), 0u);
}

TEST_F(TaskHandlers, E04AnAnswerThatComesTooLateGoesNowhere) {
  app->get("/slow",
           [this](const Request&) {
             ++begun;
             begun.notify_all();
             go_on.wait(false);
             return "too late";
           },
           {.run_on = RunOn::kTasks, .handler_timeout = 50ms});
  app->get("/", [](const Request&) { return "in time"; });
  const auto port = start();
  RawClient client = send(port, "/slow");
  EXPECT_EQ(client.read_response().status, 503);
  go_on = true;
  go_on.notify_all();
  const net::TaskCounters& counters = app->tasks().counters();
  wait_until([&counters] { return counters.late.value() + counters.abandoned.value(); }, 1);
  EXPECT_EQ(client.read_to_end(), "");
  EXPECT_EQ(ask(port, "/").body, "in time");
}

TEST_F(TaskHandlers, E03EndWithTheServerWhoseRoutesTheyAre) {
  add_stoppable_route();
  const auto port = start();
  RawClient client = send(port, "/until");
  begun.wait(0);
  end();  // returns only because the work does
  EXPECT_EQ(app->tasks().counters().late.value(), 1u);
}

TEST_F(TaskHandlers, OnLoopsAreNeverAskedToStop) {
  app->get("/", [](const Request& request) {
    return request.stop_token().stop_possible() ? "perhaps" : "never";
  });
  EXPECT_EQ(ask(start(), "/").body, "never");
}

TEST_F(TaskHandlers, CoroutinesReachTheirWorkToo) {
  app->get("/until", [this](const Request&) -> Task<Response> {
    const auto wait = [](net::TaskPool& tasks, std::atomic<int>& count) -> Task<Result<void>> {
      auto job = tasks.run([&count](const std::stop_token& stop) {
        ++count;
        count.notify_all();
        wait_for_stop(stop);
      });
      co_return co_await job;
    };
    const auto waited = co_await net::with_timeout(20ms, wait(app->tasks(), begun));
    co_return waited ? Status::kOk : Status::kGatewayTimeout;
  });
  EXPECT_EQ(ask(start(), "/until").status, 504);
  const net::TaskCounters& counters = app->tasks().counters();
  wait_until([&counters] { return counters.late.value() + counters.abandoned.value(); }, 1);
  EXPECT_EQ(counters.done.value(), 0u);
}

TEST_F(TaskHandlers, OfAWebSocketAreAskedToStopWhenItEnds) {
  websocket::Handlers<> handlers;
  handlers.on_message = [this](auto&, const Message&) -> Task<> {
    auto job = app->tasks().run([this](const std::stop_token& stop) {
      ++begun;
      begun.notify_all();
      wait_for_stop(stop);
    });
    std::ignore = co_await job;
  };
  app->ws("/ws", std::move(handlers));
  const auto port = start();
  {
    RawClient client = RawClient::tcp(port);
    client.send(get("/ws",
                    "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
                    "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"));
    EXPECT_EQ(client.read_response().status, 101);
    client.send(websocket::test::text("work"));
    begun.wait(0);
  }
  const net::TaskCounters& counters = app->tasks().counters();
  wait_until([&counters] { return counters.late.value(); }, 1);
  EXPECT_EQ(counters.done.value(), 0u);
}

// ---- exceptions

TEST_F(TaskHandlers, F11WhatHandlersThrowIs500WithTheRouteAndHarmsNobody) {
  app->get("/loop/{what}", &throw_as_asked);
  app->get("/task/{what}", &throw_as_asked, {.run_on = RunOn::kTasks});
  app->get("/coroutine/{what}", &throw_as_asked_later);
  app->get("/", [](const Request&) { return "well"; });
  const auto port = start();
  RawClient client = RawClient::tcp(port);
  std::uint64_t count = 0;
  for (const std::string route : {"/loop/", "/task/", "/coroutine/"}) {
    for (const char* what : {"exception", "int", "end"}) {
      client.send(get(route + what));
      EXPECT_EQ(client.read_response().status, 500) << route << what;
      EXPECT_EQ(thrown(), ++count) << route << what;
    }
  }
  // Work is counted when its answer is already on its way.
  wait_until([this] { return app->tasks().counters().failed.value(); }, 3);
  client.send(get("/"));
  EXPECT_EQ(client.read_response().body, "well");
}

TEST_F(TaskHandlers, ThatThrowAreNamed) {
  app->get("/task/{what}", &throw_as_asked, {.run_on = RunOn::kTasks});
  const auto port = start();
  const test::CapturedLog log;
  while (log.lines().empty()) {  // one line a second, and another test may have had it
    EXPECT_EQ(ask(port, "/task/exception").status, 500);
  }
  EXPECT_THAT(log.lines().front(), HasSubstr("GET /task/{what}: the handler threw: out of luck"));
}

}  // namespace
}  // namespace ssx
