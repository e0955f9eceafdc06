#include "ssxrver/net/awaitables.h"

#include <memory>
#include <type_traits>
#include <vector>

#include "tests/coro/event.h"
#include "tests/net/loop_fixture.h"

namespace ssx::net {
namespace {

static_assert(!std::is_aggregate_v<SleepAwaiter>);  // GCC 12: see docs/internals/coroutines.md
static_assert(!std::is_aggregate_v<YieldAwaiter>);
static_assert(!std::is_aggregate_v<ResumeOnAwaiter>);

using AwaitablesTest = LoopTest;

Task<> sleep_for_then(Duration delay, int& done) {
  co_await sleep_for(delay);
  ++done;
}
Task<> sleep_until_then(TimePoint when, int& done) {
  co_await sleep_until(when);
  ++done;
}

TEST_F(AwaitablesTest, SleepForEndsAtItsTimeAndNotANanosecondBefore) {
  int done = 0;
  start(sleep_for_then(10ms, done));
  advance(10ms - 1ns);
  EXPECT_EQ(done, 0);
  advance(1ns);
  EXPECT_EQ(done, 1);
}

TEST_F(AwaitablesTest, SleepUntilEndsAtItsTime) {
  int done = 0;
  start(sleep_until_then(clock.now() + 1s, done));
  advance(1s - 1ns);
  EXPECT_EQ(done, 0);
  advance(1ns);
  EXPECT_EQ(done, 1);
}

TEST_F(AwaitablesTest, ATimeThatHasPassedIsReachedAtOnce) {
  int done = 0;
  start(sleep_until_then(clock.now() - 1s, done));
  start(sleep_for_then(0s, done));
  start(sleep_for_then(-1s, done));
  EXPECT_EQ(done, 3);
}

TEST_F(AwaitablesTest, SleepsOneAfterTheOtherAddUp) {
  int done = 0;
  const auto body = [](int& rounds) -> Task<> {
    for (;;) {
      co_await sleep_for(1s);
      ++rounds;
    }
  };
  start(body(done));
  for (int i = 0; i < 5; ++i) advance(1s);
  EXPECT_EQ(done, 5);
}

/// Holds a Task that a test cancels.
class Held final : public Continuation {
 public:
  explicit Held(Task<> task)
      : Continuation([](Continuation&) noexcept {}), task_(std::move(task)) {}
  bool start() { return task_.start(*this); }
  void cancel() { task_.reset(); }

 private:
  Task<> task_;
};

TEST_F(AwaitablesTest, ACancelledSleepNeverEnds) {
  int done = 0;
  Held held(sleep_for_then(1s, done));
  loop->post([&held] { EXPECT_FALSE(held.start()); });
  idle();
  held.cancel();
  advance(2s);
  EXPECT_EQ(done, 0);
}

TEST_F(AwaitablesTest, ASleepMayBeCancelledByAnEarlierOneOfTheSameTurn) {
  int done = 0;
  Held held(sleep_for_then(2s, done));
  loop->post([&held] { EXPECT_FALSE(held.start()); });
  const auto killer = [](Held& victim) -> Task<> {
    co_await sleep_for(1s);
    victim.cancel();
  };
  start(killer(held));
  advance(5s);  // both are due
  EXPECT_EQ(done, 0);
}

TEST_F(AwaitablesTest, YieldLetsOthersGoFirst) {
  std::vector<int> steps;
  const auto body = [](std::vector<int>& log, int base) -> Task<> {
    log.push_back(base);
    co_await yield();
    log.push_back(base + 1);
    co_await yield();
    log.push_back(base + 2);
  };
  loop->post([this, &steps, &body] {
    spawn(*loop, body(steps, 10), &log_failure);
    spawn(*loop, body(steps, 20), &log_failure);
  });
  loop->post([&steps] { steps.push_back(1); });
  idle();
  EXPECT_EQ(steps, (std::vector<int>{10, 20, 1, 11, 21, 12, 22}));
}

TEST_F(AwaitablesTest, ALoopOfYieldsDoesNotKeepTimersAndPostsOut) {
  bool stop = false;
  int rounds = 0;
  const auto body = [](const bool& flag, int& count) -> Task<> {
    while (!flag) {
      co_await yield();
      ++count;
    }
  };
  loop->post([this, &body, &stop, &rounds] {
    spawn(*loop, body(stop, rounds), &log_failure);
    loop->post([this, &stop] { loop->post([&stop] { stop = true; }); });
  });
  idle();
  EXPECT_TRUE(stop);
  EXPECT_GT(rounds, 0);
}

TEST_F(AwaitablesTest, ACancelledYieldDoesNotContinue) {
  int done = 0;
  const auto body = [](int& count) -> Task<> {
    co_await yield();
    ++count;
  };
  Held held(body(done));
  loop->post([&held] {
    EXPECT_FALSE(held.start());
    held.cancel();
  });
  idle();
  EXPECT_EQ(done, 0);
}

Task<EventLoop*> hop_to(EventLoop& there) {
  co_await resume_on(there);
  co_return EventLoop::current();
}
Task<> hop(EventLoop& there, std::vector<EventLoop*>& seen) {
  seen.push_back(EventLoop::current());
  seen.push_back(co_await hop_to(there));
  seen.push_back(EventLoop::current());  // the awaiter came along
}

TEST_F(AwaitablesTest, ResumeOnTakesTheWholeChainToTheOtherLoop) {
  const auto other = make_loop(clock);
  std::vector<EventLoop*> seen;
  start(hop(*other, seen));
  EXPECT_EQ(seen.size(), 1u);
  other->run_until_idle();
  EXPECT_EQ(seen, (std::vector<EventLoop*>{loop.get(), other.get(), other.get()}));
}

TEST_F(AwaitablesTest, ResumeOnTheOwnLoopGoesOnAtOnce) {
  std::vector<EventLoop*> seen;
  loop->post([this, &seen] {
    spawn(*loop, hop(*loop, seen), &log_failure);
    EXPECT_EQ(seen.size(), 3u);
  });
  idle();
}

Task<> hop_and_hold(EventLoop& there, std::shared_ptr<int>, int& arrived) {
  co_await resume_on(there);
  ++arrived;
  co_await sleep_for(1h);
}

TEST_F(AwaitablesTest, ATaskThatHasMovedBelongsToItsNewLoop) {
  auto other = make_loop(clock);
  const auto held = std::make_shared<int>(0);
  int arrived = 0;
  start(hop_and_hold(*other, held, arrived));
  other->run_until_idle();
  end_loop();  // the old one: none of its business any more
  EXPECT_EQ(arrived, 1);
  EXPECT_EQ(held.use_count(), 2);
  other.reset();
  EXPECT_EQ(held.use_count(), 1);
}

TEST_F(AwaitablesTest, ATaskOnItsWayToALoopThatHasEndedIsDestroyed) {
  const auto held = std::make_shared<int>(0);
  int arrived = 0;
  {
    const auto ended = make_loop(clock);
    ended->stop();
    ended->run();
    start(hop_and_hold(*ended, held, arrived));
    EXPECT_EQ(held.use_count(), 1);
  }
  {
    const auto ends_before_it_arrives = make_loop(clock);
    start(hop_and_hold(*ends_before_it_arrives, held, arrived));
    EXPECT_EQ(held.use_count(), 2);
  }
  EXPECT_EQ(held.use_count(), 1);
  EXPECT_EQ(arrived, 0);
}

TEST_F(AwaitablesTest, ATaskMayHopThereAndBack) {
  const auto other = make_loop(clock);
  std::vector<EventLoop*> seen;
  const auto body = [](EventLoop& home, EventLoop& away, std::vector<EventLoop*>& log) -> Task<> {
    co_await resume_on(away);
    log.push_back(EventLoop::current());
    co_await resume_on(home);
    log.push_back(EventLoop::current());
  };
  start(body(*loop, *other, seen));
  other->run_until_idle();
  idle();
  EXPECT_EQ(seen, (std::vector<EventLoop*>{other.get(), loop.get()}));
}

TEST(AwaitablesDeathTest, OnlyASpawnedTaskMoves) {
  const test::ManualClock clock;
  const auto loop = make_loop(clock);
  const auto other = make_loop(clock);
  std::vector<EventLoop*> seen;
  Held held(hop(*other, seen));
  loop->post([&held] { EXPECT_DEATH(held.start(), "root"); });
  loop->run_until_idle();
}

TEST(AwaitablesDeathTest, WaitingNeedsALoop) {
  int done = 0;
  Held held(sleep_for_then(1s, done));
  EXPECT_DEATH(held.start(), "loop");
}

}  // namespace
}  // namespace ssx::net
