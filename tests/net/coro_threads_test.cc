// Run under ThreadSanitizer: coroutines whose loops run on threads of their own.
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <future>
#include <latch>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "ssxrver/coro/when_all.h"
#include "ssxrver/net/awaitables.h"
#include "ssxrver/net/linux/kernel_stack.h"
#include "ssxrver/net/spawn.h"
#include "ssxrver/net/task_pool.h"
#include "ssxrver/net/tcp_server.h"
#include "ssxrver/net/tcp_stream.h"
#include "ssxrver/net/timeout.h"
#include "tests/support/raw_client.h"

namespace ssx::net {
namespace {

using namespace std::chrono_literals;  // NOLINT(google-build-using-namespace): literals only

/// A loop on a thread of its own, until it is destroyed.
class RunningLoop {
 public:
  RunningLoop() : thread_([this] { loop_->run(); }) {}
  ~RunningLoop() { end(); }
  RunningLoop(const RunningLoop&) = delete;
  RunningLoop& operator=(const RunningLoop&) = delete;

  void end() {
    loop_->stop();
    if (thread_.joinable()) thread_.join();
  }
  EventLoop& operator*() { return *loop_; }

 private:
  std::unique_ptr<EventLoop> loop_ = *EventLoop::create();
  std::thread thread_;
};

Task<int> count_on(EventLoop& there, int value) {
  co_await resume_on(there);
  co_return value + 1;
}

TEST(CoroThreads, ATaskHopsBetweenRunningLoops) {
  constexpr int kHops = 2000;
  RunningLoop first;
  RunningLoop second;
  std::promise<int> answer;
  const auto body = [](EventLoop& a, EventLoop& b, std::promise<int>& result) -> Task<> {
    int sum = 0;
    for (int i = 0; i < kHops; ++i) {
      sum = co_await count_on(i % 2 == 0 ? a : b, sum);
      EXPECT_EQ(EventLoop::current(), i % 2 == 0 ? &a : &b);
    }
    result.set_value(sum);
  };
  spawn(*first, body(*second, *first, answer), &log_failure);
  EXPECT_EQ(answer.get_future().get(), kHops);
}

/// Counts how many of it there are.
struct Counted {
  explicit Counted(std::atomic<int>& number) : count(number) { count.fetch_add(1); }
  Counted(const Counted&) = delete;
  Counted& operator=(const Counted&) = delete;
  ~Counted() { count.fetch_sub(1); }
  std::atomic<int>& count;
};

TEST(CoroThreads, LoopsThatEndDestroyEveryTaskWhereverItIs) {
  std::atomic<int> alive{0};
  std::atomic<int> rounds{0};
  const auto body = [](EventLoop& a, EventLoop& b, std::atomic<int>& count,
                       std::atomic<int>& steps) -> Task<> {
    const Counted counted(count);
    for (;;) {
      co_await resume_on(a);
      co_await yield();
      co_await resume_on(b);
      co_await sleep_for(1us);
      steps.fetch_add(1);
    }
  };
  {
    RunningLoop first;
    RunningLoop second;
    for (int i = 0; i < 50; ++i) {
      spawn(*first, body(*first, *second, alive, rounds), &log_failure);
    }
    while (rounds.load() < 500) std::this_thread::yield();
    second.end();
    first.end();
  }
  EXPECT_EQ(alive.load(), 0);
}

template <class Work>
Task<int> on_task_thread(TaskPool& pool, Work work) {
  auto job = pool.run(std::move(work));
  const Result<int> result = co_await job;
  co_return result.value();
}

TEST(CoroThreads, WhenAllHasWorkOnSeveralTaskThreadsAtOnce) {
  auto pool = *TaskPool::start({.threads = 2});
  std::promise<int> answer;
  const auto body = [](TaskPool& threads, std::promise<int>& sum) -> Task<> {
    std::latch both(2);  // neither goes on before the other has begun
    const auto work = [&both] {
      both.arrive_and_wait();
      return 1;
    };
    const auto [a, b] =
        co_await when_all(on_task_thread(threads, work), on_task_thread(threads, work));
    sum.set_value(a + b);
  };
  RunningLoop loop;
  spawn(*loop, body(*pool, answer), &log_failure);
  EXPECT_EQ(answer.get_future().get(), 2);
}

TEST(CoroThreads, WorkBesideWorkThatFailsIsAbandoned) {
  auto pool = *TaskPool::start({.threads = 1});
  std::promise<void> go_on;
  std::promise<std::string> answer;
  std::atomic<bool> last_ran{false};
  const std::shared_future<void> caught(go_on.get_future());
  const auto body = [](TaskPool& threads, std::promise<void>& catches,
                       const std::shared_future<void>& was_caught, std::atomic<bool>& ran,
                       std::promise<std::string>& thrown) -> Task<> {
    const auto fails = []() -> int { throw std::runtime_error("from a task thread"); };
    // Holds the only thread until the failure has been caught, when the last one has been given up.
    const auto waits = [&was_caught] {
      was_caught.wait();
      return 1;
    };
    const auto last = [&ran] {
      ran = true;
      return 2;
    };
    try {
      co_await when_all(on_task_thread(threads, fails), on_task_thread(threads, waits),
                        on_task_thread(threads, last));
    } catch (const std::runtime_error& error) {
      catches.set_value();
      thrown.set_value(error.what());
    }
  };
  RunningLoop loop;
  spawn(*loop, body(*pool, go_on, caught, last_ran, answer), &log_failure);
  EXPECT_EQ(answer.get_future().get(), "from a task thread");
  pool->stop(TaskPool::Pending::kRun);
  EXPECT_FALSE(last_ran);
  EXPECT_EQ(pool->counters().failed.value(), 1u);
  EXPECT_GE(pool->counters().abandoned.value(), 1u);
  // The one that held the thread had begun or had not, and ended before it was given up or behind.
  EXPECT_EQ(pool->counters().abandoned.value() + pool->counters().done.value() +
                pool->counters().late.value(),
            2u);
}

TEST(CoroThreads, WorkThatTakesTooLongIsLeftBehind) {
  auto pool = *TaskPool::start({.threads = 1});
  std::promise<void> go_on;
  std::promise<bool> answer;
  const std::shared_future<void> late(go_on.get_future());
  const auto body = [](TaskPool& threads, std::promise<void>& is_late,
                       const std::shared_future<void>& was_late,
                       std::promise<bool>& timed_out) -> Task<> {
    const auto waits = [&was_late] {
      was_late.wait();
      return 1;
    };
    const auto result = co_await with_timeout(1ms, on_task_thread(threads, waits));
    is_late.set_value();
    timed_out.set_value(!result && result.error() == Errc::kTimedOut);
  };
  RunningLoop loop;
  spawn(*loop, body(*pool, go_on, late, answer), &log_failure);
  EXPECT_TRUE(answer.get_future().get());
  pool->stop(TaskPool::Pending::kRun);
}

/// A server whose main loop runs on a thread of its own.
class RunningServer {
 public:
  explicit RunningServer(StreamHandler handler) {
    std::promise<std::uint16_t> port;
    auto found = port.get_future();
    thread_ = std::thread([this, handler = std::move(handler), &port]() mutable {
      auto loop = *EventLoop::create();
      loop_ = loop.get();
      TcpServerOptions options;
      options.listeners.emplace_back().port = 0;
      options.workers.count = 2;
      auto server = TcpServer::create(*loop, KernelStack::instance(), options,
                                      serve_streams(std::move(handler)));
      SSX_ASSERT(server.has_value() && (*server)->start().has_value());
      port.set_value((*server)->address().port());
      loop->run();
      (*server)->stop();
    });
    port_ = found.get();
  }
  ~RunningServer() { end(); }
  RunningServer(const RunningServer&) = delete;
  RunningServer& operator=(const RunningServer&) = delete;

  void end() {
    if (!thread_.joinable()) return;
    loop_->stop();
    thread_.join();
  }
  [[nodiscard]] std::vector<test::RawClient> connect(int clients) const {
    std::vector<test::RawClient> connected;
    for (int i = 0; i < clients; ++i) connected.push_back(test::RawClient::tcp(port_));
    return connected;
  }

 private:
  EventLoop* loop_ = nullptr;
  std::uint16_t port_ = 0;
  std::thread thread_;
};

constexpr int kClients = 20;
constexpr int kRounds = 20;

TEST(CoroThreads, ACoroutinePerConnectionServesManyClients) {
  RunningServer server([](TcpStream peer) -> Task<> {
    std::array<std::byte, 4096> chunk;
    while (auto count = co_await peer.read_some(chunk)) {
      if (!co_await peer.write_all(std::span(chunk).first(*count))) break;
    }
  });
  auto clients = server.connect(kClients);
  const std::string text(10'000, 'x');
  for (int round = 0; round < kRounds; ++round) {
    for (auto& client : clients) EXPECT_TRUE(client.send(text));
    for (auto& client : clients) EXPECT_TRUE(client.read(text.size()) == text);
  }
}

TEST(CoroThreads, HandlersMaySleepAndUseTaskThreads) {
  auto pool = *TaskPool::start({.threads = 2});
  {
    RunningServer server([&pool](TcpStream peer) -> Task<> {
      std::array<std::byte, 64> chunk;
      while (auto count = co_await peer.read_some(chunk)) {
        const std::string text(as_text(std::span(chunk).first(*count)));
        auto job = pool->run([text] { return std::string(text.rbegin(), text.rend()); });
        const auto reversed = co_await job;
        if (!reversed) break;
        co_await sleep_for(100us);
        if (!co_await peer.write_all(as_bytes(*reversed))) break;
      }
    });
    auto clients = server.connect(kClients);
    for (int round = 0; round < kRounds; ++round) {
      for (auto& client : clients) EXPECT_TRUE(client.send("abc"));
      for (auto& client : clients) EXPECT_EQ(client.read(3), "cba");
    }
    for (auto& client : clients) EXPECT_TRUE(client.send("under way at the end"));
    server.end();  // with work on the task threads, whose answers find destroyed loops
  }
  pool->stop(TaskPool::Pending::kRun);
}

}  // namespace
}  // namespace ssx::net
