#include "ssxrver/net/task_pool.h"

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "ssxrver/metrics/text_format.h"
#include "ssxrver/net/awaitables.h"
#include "ssxrver/net/error.h"
#include "ssxrver/net/spawn.h"
#include "tests/net/task_pool_fixture.h"

namespace ssx::net {
namespace {

using test::Latch;
using test::make_latch;
using test::TaskPoolTest;

// ---- before its threads

TEST_F(TaskPoolTest, WorkThatComesBeforeTheLaunchWaitsForIt) {
  const auto pool = TaskPool::create({.threads = 1});
  std::atomic<bool> ran{false};
  bool is_home = false;
  pool->run(
      *loop, [&ran] { ran = true; },
      [&is_home](const Result<void>& result) { is_home = result.has_value(); });
  loop->run_until_idle();
  EXPECT_FALSE(ran);
  EXPECT_EQ(pool->counters().queued.value(), 1);
  ASSERT_TRUE(pool->launch());
  run_until(is_home);
  EXPECT_TRUE(ran);
}

TEST_F(TaskPoolTest, APoolThatWasNeverLaunchedTellsWhoWaits) {
  auto pool = TaskPool::create({.threads = 1});
  std::optional<Result<void>> told;
  pool->run(
      *loop, [] {}, [&told](const Result<void>& result) { told = result; });
  pool.reset();
  loop->run_until_idle();
  ASSERT_TRUE(told.has_value());
  EXPECT_EQ(told->error(), make_error_code(ssx::Errc::kClosed));
}

// ---- with a coroutine

TEST_F(TaskPoolTest, WorkRunsOnATaskThreadAndItsResultComesHome) {
  const auto pool = pool_of({.threads = 2});
  std::thread::id there;
  std::thread::id home;
  const auto body = [](TaskPool& tasks, std::thread::id& ran, std::thread::id& resumed) -> Task<> {
    const auto id = co_await tasks.run([] { return std::this_thread::get_id(); });
    ran = *id;
    resumed = std::this_thread::get_id();
  };
  finish(body(*pool, there, home));
  EXPECT_NE(there, std::this_thread::get_id());
  EXPECT_EQ(home, std::this_thread::get_id());
}

TEST_F(TaskPoolTest, GivesValuesThatOnlyMoveNothingAndResults) {
  const auto pool = pool_of({.threads = 1});
  const auto body = [](TaskPool& tasks) -> Task<> {
    const Result<std::unique_ptr<int>> moved =
        co_await tasks.run([] { return std::make_unique<int>(5); });
    EXPECT_EQ(**moved, 5);
    const Result<void> nothing = co_await tasks.run([] {});
    EXPECT_TRUE(nothing);
    const Result<int> flat =
        co_await tasks.run([]() -> Result<int> { return fail(Errc::kBadAddress, "work"); });
    EXPECT_EQ(flat.error(), make_error_code(Errc::kBadAddress));
  };
  finish(body(*pool));
}

TEST_F(TaskPoolTest, AnExceptionInTheWorkIsThrownInTheAwaiter) {
  const auto pool = pool_of({.threads = 1});
  std::string caught;
  const auto body = [](TaskPool& tasks, std::string& text) -> Task<> {
    try {
      std::ignore = co_await tasks.run([]() -> int { throw std::runtime_error("in the work"); });
    } catch (const std::runtime_error& error) {
      text = error.what();
    }
  };
  finish(body(*pool, caught));
  EXPECT_EQ(caught, "in the work");
  pool->stop(TaskPool::Pending::kRun);
  EXPECT_EQ(pool->counters().failed.value(), 1u);
  EXPECT_EQ(pool->counters().done.value(), 0u);
}

template <class Job>
concept AwaitedInPlace = requires(Job job) { std::move(job).operator co_await(); };
using Captures = std::shared_ptr<int>;
auto with_captures(Captures held) {
  return [held] { return *held; };
}
using HeavyJob = TaskPool::Job<decltype(with_captures(nullptr))>;
using LightJob = TaskPool::Job<decltype([] { return 1; })>;
// GCC 12 would destroy the captures twice: the compiler refuses, whatever the compiler.
static_assert(!AwaitedInPlace<HeavyJob>);
static_assert(AwaitedInPlace<LightJob>);
static_assert(!std::is_aggregate_v<HeavyJob> && !std::is_aggregate_v<HeavyJob::Awaiter>);

TEST_F(TaskPoolTest, CapturesOfANamedJobAreDestroyedOnce) {
  const auto pool = pool_of({.threads = 1});
  const auto held = std::make_shared<int>(7);
  const auto body = [](TaskPool& tasks, Captures captured) -> Task<> {
    auto job = tasks.run(with_captures(captured));
    const auto value = co_await job;
    EXPECT_EQ(*value, 7);
  };
  finish(body(*pool, held));
  pool->stop(TaskPool::Pending::kRun);
  EXPECT_EQ(held.use_count(), 1);
}

TEST_F(TaskPoolTest, CancelledWorkThatHasNotBegunDoesNotRun) {
  const auto pool = pool_of({.threads = 1});
  const Latch release = make_latch();
  hold_a_thread(*pool, release);
  std::atomic<bool> ran{false};
  const auto body = [](TaskPool& tasks, std::atomic<bool>& flag) -> Task<> {
    std::ignore = co_await tasks.run([&flag] { flag = true; });
  };
  {
    const auto short_lived = *EventLoop::create();
    spawn(*short_lived, body(*pool, ran), &log_failure);
    short_lived->run_until_idle();
    EXPECT_EQ(pool->counters().queued.value(), 1);
    short_lived->stop();
    short_lived->run();  // ends, and destroys the Task that waits
    release->count_down();
    pool->stop(TaskPool::Pending::kRun);
  }
  EXPECT_FALSE(ran);
  EXPECT_EQ(pool->counters().abandoned.value(), 1u);
}

TEST_F(TaskPoolTest, TheResultOfWorkThatWasCancelledWhileItRanIsDropped) {
  const auto pool = pool_of({.threads = 1});
  const Latch begun = make_latch();
  const Latch release = make_latch();
  const auto body = [](TaskPool& tasks, Latch started, Latch go) -> Task<> {
    auto job = tasks.run([started, go] {
      started->count_down();
      go->wait();
    });
    std::ignore = co_await job;
    ADD_FAILURE() << "nobody should come back";
  };
  spawn(*loop, body(*pool, begun, release), &log_failure);
  loop->run_until_idle();
  begun->wait();
  loop->stop();
  loop->run();
  release->count_down();
  pool->stop(TaskPool::Pending::kRun);
  EXPECT_EQ(pool->counters().late.value(), 1u);
  EXPECT_EQ(pool->counters().done.value(), 0u);
}

// ---- with a callback

TEST_F(TaskPoolTest, ACallbackGetsTheResultOnItsLoop) {
  const auto pool = pool_of({.threads = 1});
  bool done = false;
  pool->run(
      *loop, [] { return std::make_unique<int>(3); },
      [&done](Result<std::unique_ptr<int>> value) {
        EXPECT_EQ(**value, 3);
        EXPECT_NE(EventLoop::current(), nullptr);
        done = true;
      });
  run_until(done);
}

TEST_F(TaskPoolTest, ACallbackGetsAnErrorWhenTheWorkThrows) {
  const auto pool = pool_of({.threads = 1});
  int errors = 0;
  const auto expect_failed = [&errors](const Result<void>& result) {
    EXPECT_EQ(result.error(), make_error_code(Errc::kTaskFailed));
    ++errors;
  };
  pool->run(
      *loop, [] { throw std::runtime_error("x"); }, expect_failed);
  pool->run(
      *loop, [] { throw 1; }, expect_failed);
  loop->run_until([&errors] { return errors == 2; });
}

// ---- the bound

TEST_F(TaskPoolTest, RejectsOneMoreThanTheQueueHolds) {
  const auto pool = pool_of({.threads = 1, .queue_limit = 3});
  const Latch release = make_latch();
  hold_a_thread(*pool, release);
  std::vector<Result<int>> results;
  for (int i = 0; i < 3; ++i) note_result(*pool, results, i);
  EXPECT_EQ(pool->counters().queued.value(), 3);
  EXPECT_EQ(pool->counters().queue_limit_hit.value(), 0u);
  note_result(*pool, results, 3);
  EXPECT_EQ(pool->counters().queue_limit_hit.value(), 1u);
  EXPECT_TRUE(results.empty());  // never inline
  loop->run_until_idle();
  ASSERT_EQ(results.size(), 1u);
  EXPECT_EQ(results[0].error(), make_error_code(Errc::kTaskQueueFull));
  release->count_down();
  wait_for(results, 4);
  EXPECT_EQ(*results[3], 2);
  EXPECT_EQ(pool->counters().queued.value(), 0);
}

TEST_F(TaskPoolTest, ACoroutineIsToldThatTheQueueIsFull) {
  const auto pool = pool_of({.threads = 1, .queue_limit = 1});
  const Latch release = make_latch();
  hold_a_thread(*pool, release);
  std::vector<Result<int>> results;
  note_result(*pool, results, 1);
  const auto body = [](TaskPool& tasks) -> Task<> {
    const auto value = co_await tasks.run([] { return 1; });
    EXPECT_EQ(value.error(), make_error_code(Errc::kTaskQueueFull));
  };
  finish(body(*pool));
  release->count_down();
}

TEST_F(TaskPoolTest, RunsOnTheLoopWhenAskedToAndTheQueueIsFull) {
  const auto pool = pool_of({.threads = 1, .queue_limit = 1, .overflow = TaskOverflow::kRunOnLoop});
  const Latch release = make_latch();
  hold_a_thread(*pool, release);
  std::vector<Result<int>> results;
  note_result(*pool, results, 1);
  std::thread::id ran;
  bool done = false;
  pool->run(
      *loop, [&ran] { ran = std::this_thread::get_id(); },
      [&done](const Result<void>&) { done = true; });
  EXPECT_EQ(ran, std::this_thread::get_id());
  EXPECT_FALSE(done);
  loop->run_until_idle();
  EXPECT_TRUE(done);
  EXPECT_EQ(pool->counters().ran_on_loop.value(), 1u);
  release->count_down();
}

/// Acts once the pool has met its limit `times` times: by then somebody waits for room.
template <class Act>
std::thread after_limit_hits(const TaskPool& pool, std::uint64_t times, Act act) {
  return std::thread([&pool, times, act = std::move(act)] {
    while (pool.counters().queue_limit_hit.value() < times) std::this_thread::yield();
    act();
  });
}

TEST_F(TaskPoolTest, BlocksTheCallerUntilThereIsRoomWhenAskedTo) {
  const auto pool = pool_of({.threads = 1, .queue_limit = 1, .overflow = TaskOverflow::kBlock});
  const Latch release = make_latch();
  hold_a_thread(*pool, release);
  std::vector<Result<int>> results;
  note_result(*pool, results, 1);
  auto helper = after_limit_hits(*pool, 1, [release] { release->count_down(); });
  note_result(*pool, results, 2);  // returns only because the helper makes room
  helper.join();
  wait_for(results, 2);
  EXPECT_EQ(*results[0], 1);
  EXPECT_EQ(*results[1], 2);
}

TEST_F(TaskPoolTest, ACallerThatWaitsForRoomIsToldThatThePoolStops) {
  const auto pool = pool_of({.threads = 1, .queue_limit = 1, .overflow = TaskOverflow::kBlock});
  const Latch release = make_latch();
  hold_a_thread(*pool, release);
  std::vector<Result<int>> results;
  note_result(*pool, results, 1);
  auto helper = after_limit_hits(*pool, 1, [&pool] { pool->stop(TaskPool::Pending::kDrop); });
  note_result(*pool, results, 2);
  release->count_down();
  helper.join();
  wait_for(results, 2);
  EXPECT_EQ(results[0].error(), make_error_code(ssx::Errc::kClosed));
  EXPECT_EQ(results[1].error(), make_error_code(ssx::Errc::kClosed));
}

TEST_F(TaskPoolTest, WorkThatHandsOutWorkDoesNotWaitForItself) {
  const auto pool = pool_of({.threads = 1, .queue_limit = 1, .overflow = TaskOverflow::kBlock});
  std::vector<Result<int>> results;
  bool done = false;
  pool->run(
      *loop,
      [this, &pool, &results] {
        note_result(*pool, results, 1);
        note_result(*pool, results, 2);  // no room, and only this thread could make some
      },
      [&done](const Result<void>&) { done = true; });
  run_until(done);
  wait_for(results, 2);
  EXPECT_EQ(results[0].error(), make_error_code(Errc::kTaskQueueFull));
  EXPECT_EQ(*results[1], 1);
}

TEST_F(TaskPoolTest, WithoutTaskThreadsThereIsNoWork) {
  for (const auto overflow : {TaskOverflow::kReject, TaskOverflow::kBlock}) {
    const auto pool = pool_of({.threads = 0, .overflow = overflow});
    std::vector<Result<int>> results;
    note_result(*pool, results, 1);
    wait_for(results, 1);
    EXPECT_EQ(results[0].error(), make_error_code(ssx::Errc::kUnsupported));
  }
}

TEST_F(TaskPoolTest, WithoutTaskThreadsTheLoopMayDoIt) {
  const auto pool = pool_of({.threads = 0, .overflow = TaskOverflow::kRunOnLoop});
  std::vector<Result<int>> results;
  note_result(*pool, results, 1);
  wait_for(results, 1);
  EXPECT_EQ(*results[0], 1);
}

// ---- the end

/// Counts the threads that ended: its destructor runs when the thread does.
struct CountsItsThread {
  std::atomic<int>* ended = nullptr;
  ~CountsItsThread() {
    if (ended != nullptr) ended->fetch_add(1);
  }
};

// The 2021 program's pool never joined its threads.
TEST_F(TaskPoolTest, StopJoinsAllThreads) {
  constexpr int kThreads = 4;
  const auto pool = pool_of({.threads = kThreads});
  std::atomic<int> ended{0};
  const Latch all_here = make_latch(kThreads);
  for (int i = 0; i < kThreads; ++i) {
    pool->run(
        *loop,
        [&ended, all_here] {
          thread_local CountsItsThread counts;
          counts.ended = &ended;
          all_here->arrive_and_wait();  // so that each thread gets one
        },
        [](const Result<void>&) {});
  }
  all_here->wait();
  pool->stop(TaskPool::Pending::kRun);
  EXPECT_EQ(ended.load(), kThreads);
  pool->stop(TaskPool::Pending::kRun);  // twice is once
}

TEST_F(TaskPoolTest, AnIdlePoolStops) {
  pool_of({.threads = 3})->stop(TaskPool::Pending::kDrop);
  pool_of({.threads = 0})->stop(TaskPool::Pending::kRun);
}

TEST_F(TaskPoolTest, StopRunsWhatWaitsWhenAskedTo) {
  const auto pool = pool_of({.threads = 2});
  const Latch release = make_latch();
  hold_a_thread(*pool, release);
  hold_a_thread(*pool, release);
  std::vector<Result<int>> results;
  for (int i = 0; i < 100; ++i) note_result(*pool, results, i);
  release->count_down();
  pool->stop(TaskPool::Pending::kRun);
  EXPECT_EQ(pool->counters().done.value(), 102u);
  EXPECT_EQ(pool->counters().dropped.value(), 0u);
  wait_for(results, 100);
  for (const auto& result : results) EXPECT_TRUE(result);
}

TEST_F(TaskPoolTest, StopTellsWhoeverAskedForWorkThatIsDropped) {
  const auto pool = pool_of({.threads = 1});
  const Latch release = make_latch();
  hold_a_thread(*pool, release);
  std::vector<Result<int>> results;
  for (int i = 0; i < 100; ++i) note_result(*pool, results, i);
  std::thread stopper([&pool] { pool->stop(TaskPool::Pending::kDrop); });
  wait_for(results, 100);  // told before the running work has ended
  release->count_down();
  stopper.join();
  for (const auto& result : results) {
    EXPECT_EQ(result.error(), make_error_code(ssx::Errc::kClosed));
  }
  EXPECT_EQ(pool->counters().dropped.value(), 100u);
  EXPECT_EQ(pool->counters().queued.value(), 0);
}

TEST_F(TaskPoolTest, AStoppedPoolTakesNoWork) {
  const auto pool = pool_of({.threads = 1});
  pool->stop(TaskPool::Pending::kRun);
  std::vector<Result<int>> results;
  note_result(*pool, results, 1);
  wait_for(results, 1);
  EXPECT_EQ(results[0].error(), make_error_code(ssx::Errc::kClosed));
}

TEST_F(TaskPoolTest, AResultForALoopThatHasEndedIsDroppedAndCounted) {
  const auto pool = pool_of({.threads = 1});
  const Latch release = make_latch();
  hold_a_thread(*pool, release);
  std::vector<Result<int>> results;
  note_result(*pool, results, 1);
  loop->stop();
  loop->run();
  release->count_down();
  pool->stop(TaskPool::Pending::kRun);
  EXPECT_TRUE(results.empty());
  EXPECT_EQ(loop->dropped_posts(), 2u);
  EXPECT_EQ(pool->counters().late.value(), 2u);
}

TEST_F(TaskPoolTest, ALoopMayBeDestroyedBeforeItsResultIsThere) {
  const auto pool = pool_of({.threads = 1});
  const Latch release = make_latch();
  hold_a_thread(*pool, release);
  std::vector<Result<int>> results;
  note_result(*pool, results, 1);
  loop.reset();
  release->count_down();
  pool->stop(TaskPool::Pending::kRun);
  EXPECT_TRUE(results.empty());
  EXPECT_EQ(pool->counters().late.value(), 2u);
}

TEST_F(TaskPoolTest, WorkFromTwoLoopsComesHomeToEachExactlyOnce) {
  constexpr int kEach = 2000;
  const auto pool = pool_of({.threads = 3});
  const auto count_on_a_loop = [&pool] {
    const auto mine = *EventLoop::create();
    int sum = 0;
    int answers = 0;
    for (int i = 0; i < kEach; ++i) {
      pool->run(
          *mine, [i] { return i; },
          [&sum, &answers](const Result<int>& value) {
            sum += *value;
            ++answers;
          });
    }
    mine->run_until([&answers] { return answers == kEach; });
    EXPECT_EQ(sum, kEach * (kEach - 1) / 2);
  };
  std::thread first(count_on_a_loop);
  std::thread second(count_on_a_loop);
  first.join();
  second.join();
  pool->stop(TaskPool::Pending::kRun);
  EXPECT_EQ(pool->counters().done.value(), 2u * kEach);
}

TEST_F(TaskPoolTest, IsInTheMetrics) {
  const auto pool = pool_of({.threads = 0, .overflow = TaskOverflow::kRunOnLoop});
  metrics::Registry registry;
  const auto registration = registry.attach<TaskCounters>(kTaskFields, pool->counters());
  std::vector<Result<int>> results;
  note_result(*pool, results, 1);
  const auto text = metrics::to_text(registry.scrape());
  EXPECT_NE(text.find("ssxrver_tasks_total{end=\"done\"} 1\n"), std::string::npos) << text;
}

}  // namespace
}  // namespace ssx::net
