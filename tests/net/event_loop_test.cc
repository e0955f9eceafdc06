#include "ssxrver/net/event_loop.h"

#include "tests/net/event_loop_fixture.h"

namespace ssx::net {
namespace {

// ---- beginning and end

TEST_F(EventLoopTest, RunsWhatWasPostedBeforeAndEndsWhenStopped) {
  post("a");
  loop->post([this] { loop->stop(); });
  post("b");
  loop->run();
  EXPECT_EQ(ran, "ab");
  EXPECT_TRUE(loop->is_stopping());
}

TEST_F(EventLoopTest, StoppedBeforeItRunsItReturnsAtOnceButLosesNothing) {
  post("a");
  loop->stop();
  loop->stop();
  loop->run();
  EXPECT_EQ(ran, "a");
}

TEST_F(EventLoopTest, RunsItsFirstFunctionOnTheLoopBeforeEverythingElse) {
  post("b");
  loop->run([this] {
    EXPECT_EQ(EventLoop::current(), loop.get());
    ran += "a";
    loop->run_after(0ns, note("t"));
    loop->stop();
  });
  EXPECT_EQ(ran, "ab");
}

TEST_F(EventLoopTest, AfterTheEndPostsAreRefusedCountedAndDestroyed) {
  loop->stop();
  loop->run();
  auto watched = std::make_shared<int>(1);
  EXPECT_FALSE(loop->post([watched] { FAIL(); }));
  EXPECT_EQ(watched.use_count(), 1);
  EXPECT_EQ(loop->dropped_posts(), 1U);
}

TEST_F(EventLoopTest, AfterTheEndDispatchIsRefusedOnEveryThread) {
  loop->stop();
  loop->run();
  EXPECT_FALSE(loop->dispatch([] { FAIL(); }));
  std::thread([this] { EXPECT_FALSE(loop->dispatch([] { FAIL(); })); }).join();
}

TEST_F(EventLoopTest, DispatchIsAtOnceOnTheLoopAndLaterElsewhere) {
  loop->post([this] {
    EXPECT_TRUE(loop->dispatch(note("inline ")));
    ran += "after";
  });
  idle();
  EXPECT_EQ(ran, "inline after");
  std::thread([this] { EXPECT_TRUE(loop->dispatch(note("!"))); }).join();
  EXPECT_EQ(ran, "inline after");
  idle();
  EXPECT_EQ(ran, "inline after!");
}

TEST_F(EventLoopTest, KnowsItsThread) {
  EXPECT_TRUE(loop->is_in_loop_thread());
  std::thread([this] { EXPECT_FALSE(loop->is_in_loop_thread()); }).join();
  EXPECT_EQ(EventLoop::current(), nullptr);
}

TEST_F(EventLoopTest, ADestroyedLoopDestroysWhatWasPostedAndTimed) {
  auto watched = std::make_shared<int>(1);
  loop->post([watched] { FAIL(); });
  loop->run_after(1s, [watched] { FAIL(); });
  EXPECT_EQ(watched.use_count(), 3);
  loop.reset();
  EXPECT_EQ(watched.use_count(), 1);
}

// D12 and its relatives: no call of the making may fail with a crash or a leak.
TEST_F(EventLoopTest, IsNotMadeWhenTheSystemRefuses) {
  const auto failures = sim::fail_at_nth([this](const sim::FaultPlan& plan) {
    const auto made = EventLoop::create({}, clock);
    EXPECT_EQ(made.has_value(), plan.faults() == 0);
    if (!made) {
      EXPECT_TRUE(made.error().is_errno(EMFILE) || made.error().is_errno(ENOSPC));
    }
  });
  EXPECT_EQ(failures, 8U);  // epoll, eventfd, timerfd, two registrations, three closes
}

using EventLoopDeathTest = EventLoopTest;

TEST_F(EventLoopDeathTest, LoopOnlyCallsAreAssertedOnOtherThreads) {
  const auto on_another_thread = [](auto call) { std::thread(call).join(); };
  EXPECT_DEATH(on_another_thread([this] { loop->run_after(1s, [] {}); }), "assertion failed");
  EXPECT_DEATH(on_another_thread([this] { loop->cancel({}); }), "assertion failed");
  EXPECT_DEATH(on_another_thread([this] { loop->run_until_idle(); }), "assertion failed");
}

// ---- timers

TEST_F(EventLoopTest, TimersFireInOrderOnTheClockOfTheLoop) {
  loop->run_after(20ns, note("c"));
  loop->run_at(clock.now() + 10ns, note("b"));
  loop->run_after(0ns, note("a"));
  idle();
  EXPECT_EQ(ran, "a");
  advance(9ns);
  EXPECT_EQ(ran, "a");
  advance(1ns);
  EXPECT_EQ(ran, "ab");
  advance(1h);
  EXPECT_EQ(ran, "abc");
}

TEST_F(EventLoopTest, APeriodicTimerBeatsUntilItIsCancelled) {
  const TimerId id = loop->run_every(10s, note("x"));
  idle();
  EXPECT_EQ(ran, "");
  for (int i = 0; i < 3; ++i) advance(10s);
  EXPECT_EQ(ran, "xxx");
  advance(1h);
  EXPECT_EQ(ran, "xxxx");
  EXPECT_TRUE(loop->cancel(id));
  advance(1h);
  EXPECT_EQ(ran, "xxxx");
}

TEST_F(EventLoopTest, ATimerWakesALoopThatWaits) {
  loop->run_after(1h, [this] { loop->stop(); });
  loop->post([this] { clock.advance(1h); });
  loop->run();
}

TEST_F(EventLoopTest, WhatWasSetBeforeItRunsIsNotForgotten) {
  loop->run_after(1h, [this] { loop->stop(); });
  std::thread later([this] { clock.advance(1h); });
  loop->run();
  later.join();

  loop = make();
  TurnCounter turns(*loop);
  loop->run_until([&turns] { return turns.turns == 1; });
}

TEST_F(EventLoopTest, DelaysBeyondAllTimeMeanNever) {
  loop->run_after(Duration::max(), note("x"));
  loop->run_every(Duration::max(), note("y"));
  loop->run_at(TimePoint::max(), note("z"));
  advance(std::chrono::hours(24 * 365 * 50));
  EXPECT_EQ(ran, "");
}

TEST_F(EventLoopTest, ATimeLongGoneIsNow) {
  loop->run_at(TimePoint::min(), note("a"));
  loop->run_after(Duration::min() / 4, note("b"));
  idle();
  EXPECT_EQ(ran, "ab");
}

// A timer that sets itself to the past again and again would otherwise always come first.
TEST_F(EventLoopTest, ATimerThatIsAlwaysDueStarvesNobody) {
  int runs = 0;
  std::function<void()> again = [&] {
    if (++runs < 100) loop->run_at(TimePoint::min(), again);
  };
  loop->run_at(TimePoint::min(), again);
  loop->run_after(0ns, [&] { EXPECT_LT(runs, 5); });
  idle();
  EXPECT_EQ(runs, 100);
}

TEST_F(EventLoopTest, IdleMeansThatNoTimerIsDue) {
  loop->post([this] { loop->run_after(0ns, note("a")); });
  idle();
  EXPECT_EQ(ran, "a");
}

TEST_F(EventLoopTest, ADueTimerCostsNoSystemCall) {
  const CallWatch watch;
  for (int i = 0; i < 10; ++i) {
    loop->run_after(0ns, note("x"));
    idle();
  }
  EXPECT_EQ(watch.of(Call::kTimerfdArm), 0U);
}

TEST_F(EventLoopTest, MovingADeadlineLaterCostsNoSystemCall) {
  Probe probe;
  loop->set_deadline(probe, clock.now() + 10s);
  idle();
  const CallWatch watch;
  for (int i = 0; i < 100; ++i) {
    loop->set_deadline(probe, clock.now() + 10s + Duration(i));
    idle();
  }
  EXPECT_EQ(watch.of(Call::kTimerfdArm), 0U);
  advance(9s);
  loop->set_deadline(probe, clock.now() + 10s);
  advance(9s);
  EXPECT_EQ(probe.fired, 0);
  advance(1s + 2 * TimerWheel::kTick);
  EXPECT_EQ(probe.fired, 1);
  loop->set_deadline(probe, clock.now() + 1s);
  loop->clear_deadline(probe);
  advance(1h);
  EXPECT_EQ(probe.fired, 1);
}

TEST_F(EventLoopTest, ATimerfdThatCannotBeArmedIsTriedAgain) {
  const test::CapturedLog log;
  sim::FaultPlan plan;
  plan.fail(Call::kTimerfdArm, EINVAL, 2);
  loop->run_after(1s, note("a"));
  idle();
  idle();
  idle();
  advance(1s);
  EXPECT_EQ(ran, "a");
  EXPECT_FALSE(log.lines().empty());
}

}  // namespace
}  // namespace ssx::net
