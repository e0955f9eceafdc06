// Work that has begun, and whose asker goes: it is asked to stop, and what it gives is dropped.
#include <gtest/gtest.h>

#include <atomic>
#include <barrier>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <stop_token>
#include <vector>

#include "ssxrver/coro/semaphore.h"
#include "ssxrver/coro/when_all.h"
#include "ssxrver/coro/when_any.h"
#include "ssxrver/net/awaitables.h"
#include "ssxrver/net/error.h"
#include "ssxrver/net/timeout.h"
#include "tests/net/task_pool_fixture.h"
#include "tests/support/manual_clock.h"

namespace ssx::net {
namespace {

using namespace std::chrono_literals;  // NOLINT(google-build-using-namespace): literals only
using test::Latch;
using test::make_latch;

/// Until it is asked to stop, however many do that at once.
void work_until(const std::stop_token& stop) {
  std::mutex mutex;
  std::condition_variable_any asked;
  std::unique_lock lock(mutex);
  asked.wait(lock, stop, [] { return false; });
}

Task<Result<int>> wait_for_stop(TaskPool& tasks, Latch begun) {
  auto job = tasks.run([begun](const std::stop_token& stop) {
    begun->count_down();
    work_until(stop);
    return 1;
  });
  co_return co_await job;
}

Task<Result<int>> fail_after(TaskPool& tasks, Latch begun) {
  auto job = tasks.run([begun]() -> Result<int> {
    begun->wait();
    return fail(Errc::kBadAddress, "work");
  });
  co_return co_await job;
}

Task<Result<int>> give_after(TaskPool& tasks, Latch begun, int value) {
  auto job = tasks.run([begun, value] {
    begun->wait();
    return value;
  });
  co_return co_await job;
}

class TaskPoolStop : public test::TaskPoolTest {
 protected:
  ssx::test::ManualClock clock;
};

TEST_F(TaskPoolStop, WorkThatIsWaitedForIsNotAskedToStop) {
  const auto pool = pool_of({.threads = 1});
  const auto body = [](TaskPool& tasks) -> Task<> {
    const Result<bool> could = co_await tasks.run([](std::stop_token stop) {
      EXPECT_FALSE(stop.stop_requested());
      return stop.stop_possible();
    });
    EXPECT_TRUE(could.value_or(false));
    const Result<void> nothing = co_await tasks.run([](const std::stop_token&) {});
    EXPECT_TRUE(nothing);
  };
  finish(body(*pool));
  pool->stop(TaskPool::Pending::kRun);
  EXPECT_EQ(pool->counters().done.value(), 2u);
  EXPECT_EQ(pool->counters().late.value(), 0u);
}

TEST_F(TaskPoolStop, IsAskedForWhenTheCoroutineIsCancelled) {
  const auto pool = pool_of({.threads = 1});
  const Latch begun = make_latch();
  std::optional<Task<Result<int>>> task = wait_for_stop(*pool, begun);
  const auto body = [](Task<Result<int>> inner) -> Task<> {
    std::ignore = co_await std::move(inner);
  };
  spawn(*loop, body(*std::move(task)), &log_failure);
  loop->run_until_idle();
  begun->wait();
  loop->stop();
  loop->run();  // ends, and destroys the Task that waits
  pool->stop(TaskPool::Pending::kRun);
  EXPECT_EQ(pool->counters().late.value(), 1u);
  EXPECT_EQ(pool->counters().done.value(), 0u);
}

TEST_F(TaskPoolStop, IsAskedForByATimeOut) {
  loop = *EventLoop::create({}, clock);
  const auto pool = pool_of({.threads = 1});
  const Latch begun = make_latch();
  std::optional<Result<int>> outcome;
  const auto body = [](TaskPool& tasks, Latch started,
                       std::optional<Result<int>>& result) -> Task<> {
    result = co_await with_timeout(1s, wait_for_stop(tasks, started));
  };
  spawn(*loop, body(*pool, begun, outcome), &log_failure);
  loop->run_until_idle();
  begun->wait();
  clock.advance(1s - 1ns);
  loop->run_until_idle();
  EXPECT_FALSE(outcome.has_value());
  clock.advance(1ns);
  loop->run_until_idle();
  ASSERT_TRUE(outcome.has_value());
  EXPECT_EQ(outcome->error(), make_error_code(Errc::kTimedOut));
  pool->stop(TaskPool::Pending::kRun);
  EXPECT_EQ(pool->counters().late.value(), 1u);
}

TEST_F(TaskPoolStop, WorkThatHasNotBegunByThenNeverDoes) {
  loop = *EventLoop::create({}, clock);
  const auto pool = pool_of({.threads = 1});
  const Latch release = make_latch();
  hold_a_thread(*pool, release);
  std::optional<Result<int>> outcome;
  const auto body = [](TaskPool& tasks, std::optional<Result<int>>& result) -> Task<> {
    result = co_await with_timeout(1s, wait_for_stop(tasks, make_latch()));
  };
  spawn(*loop, body(*pool, outcome), &log_failure);
  loop->run_until_idle();
  clock.advance(1s);
  loop->run_until_idle();
  EXPECT_EQ(outcome->error(), make_error_code(Errc::kTimedOut));
  release->count_down();
  pool->stop(TaskPool::Pending::kRun);
  EXPECT_EQ(pool->counters().abandoned.value(), 1u);
}

TEST_F(TaskPoolStop, IsAskedOfTheRestByTheFirstFailure) {
  const auto pool = pool_of({.threads = 3});
  const Latch begun = make_latch(2);
  const auto body = [](TaskPool& tasks, Latch started) -> Task<> {
    const auto all = co_await when_all_ok(wait_for_stop(tasks, started), fail_after(tasks, started),
                                          wait_for_stop(tasks, started));
    EXPECT_EQ(all.error(), make_error_code(Errc::kBadAddress));
  };
  finish(body(*pool, begun));
  pool->stop(TaskPool::Pending::kRun);
  EXPECT_EQ(pool->counters().done.value(), 1u);
  EXPECT_EQ(pool->counters().late.value(), 2u);
}

TEST_F(TaskPoolStop, IsAskedOfTheRestByTheFirstEnd) {
  const auto pool = pool_of({.threads = 2});
  const Latch begun = make_latch();
  const auto body = [](TaskPool& tasks, Latch started) -> Task<> {
    const auto first =
        co_await when_any(wait_for_stop(tasks, started), give_after(tasks, started, 7));
    EXPECT_EQ(first.index(), 1u);
    EXPECT_EQ(std::get<1>(first).value_or(0), 7);
  };
  finish(body(*pool, begun));
  pool->stop(TaskPool::Pending::kRun);
  EXPECT_EQ(pool->counters().done.value(), 1u);
  EXPECT_EQ(pool->counters().late.value(), 1u);
}

TEST_F(TaskPoolStop, WhatIsThrownWhenNobodyWaitsIsCountedAndHarmsNobody) {
  const auto pool = pool_of({.threads = 1});
  const Latch begun = make_latch();
  const auto body = [](TaskPool& tasks, Latch started) -> Task<> {
    auto job = tasks.run([started](const std::stop_token& stop) {
      started->count_down();
      work_until(stop);
      throw std::runtime_error("it was asked to stop");
    });
    std::ignore = co_await job;
  };
  spawn(*loop, body(*pool, begun), &log_failure);
  loop->run_until_idle();
  begun->wait();
  loop.reset();
  pool->stop(TaskPool::Pending::kRun);
  EXPECT_EQ(pool->counters().failed.value(), 1u);
  EXPECT_EQ(pool->counters().late.value(), 0u);
}

TEST_F(TaskPoolStop, AndTheEndOfTheWorkMayMeet) {
  constexpr unsigned kTimes = 2000;
  const auto pool = pool_of({.threads = 3});
  const auto one = [](TaskPool& tasks) -> Task<int> {
    auto job = tasks.run([held = std::make_unique<int>(1)](const std::stop_token& stop) {
      return stop.stop_requested() ? 0 : *held;
    });
    co_return (co_await job).value_or(0);
  };
  const auto body = [&one](TaskPool& tasks) -> Task<> {
    const auto pass_turns = [](unsigned turns) -> Task<int> {
      for (unsigned i = 0; i < turns; ++i) co_await yield();
      co_return 0;
    };
    for (unsigned i = 0; i < kTimes; ++i) {
      std::ignore = co_await when_any(one(tasks), pass_turns(i % 8));
    }
  };
  finish(body(*pool));
  pool->stop(TaskPool::Pending::kRun);
  const TaskCounters& counters = pool->counters();
  EXPECT_EQ(counters.done.value() + counters.late.value() + counters.abandoned.value(), kTimes);
}

TEST_F(TaskPoolStop, ASemaphoreBoundsWhatRunsAtOnce) {
  constexpr int kPermits = 3;
  constexpr int kJobs = 10 * kPermits;
  const auto pool = pool_of({.threads = kPermits + 2});
  Semaphore permits(kPermits);
  std::atomic<int> running{0};
  std::atomic<int> most{0};
  std::barrier<> all_that_may(kPermits);  // would wait for ever if they were fewer
  const auto one = [](TaskPool& tasks, Semaphore& semaphore, auto& now, auto& peak,
                      std::barrier<>& meeting) -> Task<> {
    const auto permit = co_await semaphore.acquire();
    auto job = tasks.run([&now, &peak, &meeting] {
      ++now;
      meeting.arrive_and_wait();
      const int together = now;
      if (together > peak) peak = together;
      meeting.arrive_and_wait();
      --now;
    });
    std::ignore = co_await job;
  };
  std::vector<Task<>> tasks;
  for (int i = 0; i < kJobs; ++i) tasks.push_back(one(*pool, permits, running, most, all_that_may));
  const auto body = [](std::vector<Task<>> all) -> Task<> { co_await when_all(std::move(all)); };
  finish(body(std::move(tasks)));
  EXPECT_EQ(most, kPermits);
  EXPECT_EQ(permits.available(), static_cast<std::size_t>(kPermits));
}

}  // namespace
}  // namespace ssx::net
