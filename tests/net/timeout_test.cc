#include "ssxrver/net/timeout.h"

#include <memory>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>

#include "ssxrver/coro/semaphore.h"
#include "ssxrver/coro/when_all.h"
#include "ssxrver/net/awaitables.h"
#include "tests/coro/event.h"
#include "tests/net/loop_fixture.h"

namespace ssx::net {
namespace {

static_assert(!std::is_aggregate_v<TimeoutAwaiter<int>>);  // GCC 12

using Held = std::shared_ptr<int>;

Task<int> give(int value) { co_return value; }
Task<int> give_after(Duration delay, int value, Held) {
  co_await sleep_for(delay);
  co_return value;
}
Task<Result<int>> fail_after(Duration delay) {
  co_await sleep_for(delay);
  co_return fail(Errc::kClosed, "the task");
}
Task<> throw_after(Duration delay) {
  co_await sleep_for(delay);
  throw std::runtime_error("thrown");
}
Task<> sleep_half_a_second() { co_await sleep_for(500ms); }
Task<Result<void>> wait_for(Event& event) {
  co_await event;
  co_return Result<void>();
}

std::string text_of(const Result<int>& result) {
  return result ? std::to_string(*result) : result.error().message();
}
const std::string kTimedOut = Error(Errc::kTimedOut, "with_timeout").message();

Task<> ask(Duration limit, Task<int> task, std::string& answer) {
  const auto result = co_await with_timeout(limit, std::move(task));
  answer = text_of(result);
}
Task<> ask_until(TimePoint when, Task<int> task, std::string& answer) {
  const auto result = co_await with_deadline(when, std::move(task));
  answer = text_of(result);
}
Task<> ask_flat(Duration limit, Task<Result<int>> task, std::string& answer) {
  const Result<int> result = co_await with_timeout(limit, std::move(task));
  answer = text_of(result);
}

class TimeoutTest : public LoopTest {
 protected:
  std::string answer;
  Held held = std::make_shared<int>(0);
};

TEST_F(TimeoutTest, GivesWhatTheTaskReturnsInTime) {
  start(ask(1s, give_after(1s - 1ns, 7, held), answer));
  advance(1s - 2ns);
  EXPECT_EQ(answer, "");
  advance(1ns);
  EXPECT_EQ(answer, "7");
  EXPECT_EQ(held.use_count(), 1);
  advance(1h);  // the timer has gone
  EXPECT_EQ(answer, "7");
}

TEST_F(TimeoutTest, CancelsTheTaskAtTheTimeAndNotANanosecondBefore) {
  start(ask(1s, give_after(1s + 1ns, 7, held), answer));
  advance(1s - 1ns);
  EXPECT_EQ(answer, "");
  EXPECT_EQ(held.use_count(), 2);
  advance(1ns);
  EXPECT_EQ(answer, kTimedOut);
  EXPECT_EQ(held.use_count(), 1);
  advance(1h);
  EXPECT_EQ(answer, kTimedOut);
}

TEST_F(TimeoutTest, AtOneMomentWhoseTimerWasSetFirstComesFirst) {
  start(ask(1s, give_after(1s, 7, held), answer));  // the task slept before the limit was set
  advance(1s);
  EXPECT_EQ(answer, "7");
  const auto in_two_steps = [](Held) -> Task<int> {
    co_await sleep_for(500ms);
    co_await sleep_for(500ms);
    co_return 7;
  };
  start(ask(1s, in_two_steps(held), answer));
  advance(500ms);
  advance(500ms);
  EXPECT_EQ(answer, kTimedOut);
  EXPECT_EQ(held.use_count(), 1);
}

TEST_F(TimeoutTest, BothLateInOneTurnIsInTheOrderOfTheirTimes) {
  start(ask(1s, give_after(900ms, 7, held), answer));
  advance(5s);
  EXPECT_EQ(answer, "7");
  start(ask(900ms, give_after(1s, 7, held), answer));
  advance(5s);
  EXPECT_EQ(answer, kTimedOut);
}

TEST_F(TimeoutTest, ATaskThatDoesNotWaitNeedsNoTime) {
  for (const Duration limit : {Duration(1s), Duration(0s), Duration(-1s)}) {
    answer.clear();
    start(ask(limit, give(7), answer));
    EXPECT_EQ(answer, "7");
  }
}

TEST_F(TimeoutTest, NoTimeAtAllIsUpAtTheFirstWait) {
  for (const Duration limit : {Duration(0s), Duration(-1s)}) {
    answer.clear();
    start(ask(limit, give_after(1ns, 7, held), answer));
    EXPECT_EQ(answer, kTimedOut);
    EXPECT_EQ(held.use_count(), 1);
  }
}

TEST_F(TimeoutTest, ADeadlineIsATimeOfTheLoopsClock) {
  const TimePoint when = clock.now() + 1s;
  start(ask_until(when, give_after(2s, 7, held), answer));
  advance(1s - 1ns);
  EXPECT_EQ(answer, "");
  advance(1ns);
  EXPECT_EQ(answer, kTimedOut);
  answer.clear();
  start(ask_until(when - 1s, give_after(2s, 7, held), answer));  // it has passed
  EXPECT_EQ(answer, kTimedOut);
  start(ask_until(TimePoint::max(), give_after(2s, 7, held), answer));
  advance(2s);
  EXPECT_EQ(answer, "7");
}

TEST_F(TimeoutTest, AResultOfAResultIsOne) {
  start(ask_flat(2s, fail_after(1s), answer));
  advance(1s);
  EXPECT_EQ(answer, Error(Errc::kClosed, "the task").message());
  start(ask_flat(1s, fail_after(2s), answer));
  advance(1s);
  EXPECT_EQ(answer, kTimedOut);
}

TEST_F(TimeoutTest, OfVoidIsAResultOfVoid) {
  Event event;
  int good = 0;
  int late = 0;
  const auto body = [](Event& when, int& in_time, int& too_late) -> Task<> {
    const Result<void> plain = co_await with_timeout(1s, sleep_half_a_second());
    const Result<void> flat = co_await with_timeout(1s, wait_for(when));
    ++(plain ? in_time : too_late);
    ++(flat ? in_time : too_late);
  };
  start(body(event, good, late));
  advance(500ms);
  advance(1s);
  EXPECT_EQ(good, 1);
  EXPECT_EQ(late, 1);
  EXPECT_EQ(event.waiting(), 0u);
}

TEST_F(TimeoutTest, WhatTheTaskThrowsIsThrown) {
  const auto body = [](Duration delay) -> Task<> { co_await with_timeout(1s, throw_after(delay)); };
  start(body(500ms));
  advance(500ms);
  EXPECT_NE(failure, nullptr);
  failure = nullptr;
  start(body(1500ms));  // not what it would have thrown
  advance(2s);
  EXPECT_EQ(failure, nullptr);
}

TEST_F(TimeoutTest, TheTaskHasGoneWhenTheAwaiterContinues) {
  long left = 0;
  const auto body = [](Held hold, long& seen) -> Task<> {
    auto wait = with_timeout(1s, give_after(2s, 7, hold));
    const auto result = co_await wait;
    EXPECT_FALSE(result);
    seen = hold.use_count();
  };
  start(body(held, left));
  advance(1s);
  EXPECT_EQ(left, 2);  // the test's and the parameter
}

/// Holds a Task that a test cancels.
class Cancellable final : public Continuation {
 public:
  explicit Cancellable(Task<> task)
      : Continuation([](Continuation&) noexcept {}), task_(std::move(task)) {}
  bool start() { return task_.start(*this); }
  void cancel() { task_.reset(); }

 private:
  Task<> task_;
};

TEST_F(TimeoutTest, CancelledFromOutsideItTakesTheTaskAndTheTimerAlong) {
  Cancellable owner(ask(1s, give_after(500ms, 7, held), answer));
  loop->post([&owner] { EXPECT_FALSE(owner.start()); });
  idle();
  EXPECT_EQ(held.use_count(), 2);
  owner.cancel();
  EXPECT_EQ(held.use_count(), 1);
  advance(2s);
  EXPECT_EQ(answer, "");
}

TEST_F(TimeoutTest, CancelledBeforeItBeganItLeavesNothing) {
  { const auto never = with_timeout(1s, give_after(500ms, 7, held)); }
  EXPECT_EQ(held.use_count(), 1);
}

TEST_F(TimeoutTest, TheInnerOfTwoLimitsComesFirst) {
  const auto inner = [](Duration limit, Held hold) -> Task<Result<int>> {
    co_return co_await with_timeout(limit, give_after(10s, 7, hold));
  };
  start(ask_flat(2s, inner(1s, held), answer));
  advance(1s);
  EXPECT_EQ(answer, kTimedOut);
  answer.clear();
  start(ask_flat(1s, inner(2s, held), answer));
  advance(1s);
  EXPECT_EQ(answer, kTimedOut);
  EXPECT_EQ(held.use_count(), 1);
}

TEST_F(TimeoutTest, OneLimitForSeveralTasksAtOnce) {
  const auto both = [](Held hold) -> Task<int> {
    const auto [a, b] = co_await when_all(give_after(1s, 1, hold), give_after(2s, 2, hold));
    co_return a + b;
  };
  start(ask(3s, both(held), answer));
  advance(2s);
  EXPECT_EQ(answer, "3");
  start(ask(1500ms, both(held), answer));
  advance(1s);
  advance(500ms);
  EXPECT_EQ(answer, kTimedOut);
  EXPECT_EQ(held.use_count(), 1);
}

TEST_F(TimeoutTest, AWaitForAPermitIsGivenUp) {
  Semaphore semaphore(1);
  auto taken = semaphore.try_acquire();
  const auto work = [](Semaphore& place) -> Task<int> {
    const auto permit = co_await place.acquire();
    co_return 7;
  };
  start(ask(1s, work(semaphore), answer));
  EXPECT_EQ(semaphore.waiters(), 1u);
  advance(1s);
  EXPECT_EQ(answer, kTimedOut);
  EXPECT_EQ(semaphore.waiters(), 0u);
}

TEST_F(TimeoutTest, TheEndOfTheLoopCancelsBoth) {
  start(ask(1h, give_after(1h, 7, held), answer));
  end_loop();
  EXPECT_EQ(held.use_count(), 1);
  EXPECT_EQ(answer, "");
}

TEST_F(TimeoutTest, ManyAtOnceEndEachAtItsTime) {
  int late = 0;
  const auto body = [](Duration limit, int& count) -> Task<> {
    const auto result = co_await with_timeout(limit, throw_after(1h));
    if (!result) ++count;
  };
  for (int i = 1; i <= 1000; ++i) start(body(i * 1ms, late));
  for (int i = 1; i <= 1000; ++i) {
    advance(1ms);
    ASSERT_EQ(late, i);
  }
}

TEST(TimeoutDeathTest, NeedsALoop) {
  std::string answer;
  Cancellable owner(ask(1s, give(7), answer));
  EXPECT_DEATH(owner.start(), "loop");
}

}  // namespace
}  // namespace ssx::net
