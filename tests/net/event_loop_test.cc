#include "ssxrver/net/event_loop.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cerrno>
#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "ssxrver/sys/event.h"
#include "tests/support/captured_log.h"
#include "tests/support/fail_at_nth.h"
#include "tests/support/manual_clock.h"
#include "tests/support/sim/virtual_time.h"

namespace ssx::net {
namespace {

using namespace std::chrono_literals;  // NOLINT(google-build-using-namespace): literals only
using sim::Call;
using sim::CallWatch;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

/// Counts turns while it lives; the loop is never idle meanwhile.
class TurnCounter final : public TurnEnd {
 public:
  explicit TurnCounter(EventLoop& loop) : loop_(loop) { loop_.at_turn_end(*this); }
  int turns = 0;

 private:
  void on_turn_end() override {
    ++turns;
    loop_.at_turn_end(*this);
  }
  EventLoop& loop_;
};

/// A descriptor that is ready until somebody takes what is in it.
class Ready final : public Channel {
 public:
  Ready(EventLoop& loop, std::function<void(Ready&)> then)
      : Ready(loop, *sys::eventfd_create(), std::move(then)) {}
  ~Ready() { loop_.remove(*this); }
  void signal() { ASSERT_TRUE(sys::eventfd_signal(fd())); }
  int calls = 0;

 private:
  Ready(EventLoop& loop, sys::UniqueFd fd, std::function<void(Ready&)> then)
      : Channel(fd.get()), loop_(loop), owned_(std::move(fd)), then_(std::move(then)) {
    EXPECT_TRUE(loop_.add(*this, kReadable));
  }
  void on_ready(Readiness) override {
    ++calls;
    std::ignore = sys::eventfd_take(fd());
    if (then_) then_(*this);
  }
  [[nodiscard]] const char* label() const noexcept override { return "ready"; }

  EventLoop& loop_;
  sys::UniqueFd owned_;
  std::function<void(Ready&)> then_;
};

class EventLoopTest : public testing::Test {
 protected:
  std::unique_ptr<EventLoop> make(LoopOptions with = {}) {
    auto made = EventLoop::create(with, clock);
    EXPECT_TRUE(made.has_value());
    return *std::move(made);
  }
  void post(std::string name) {
    EXPECT_TRUE(loop->post([this, name = std::move(name)] { ran += name; }));
  }
  std::function<void()> note(std::string name) {
    return [this, name = std::move(name)] { ran += name; };
  }
  void idle() { loop->run_until_idle(); }
  void advance(Duration time) {
    clock.advance(time);
    idle();
  }

  test::ManualClock clock;
  sim::VirtualTime virtual_time{clock};
  std::unique_ptr<EventLoop> loop = make();
  std::string ran;
};

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

class Probe final : public Deadline {
 public:
  int fired = 0;

 private:
  void on_deadline() override { ++fired; }
};

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

// ---- budgets

TEST_F(EventLoopTest, PostedFunctionsPerTurnHaveABudget) {
  for (const int count : {2, 3, 4}) {
    loop = make({.tasks_per_turn = 3});
    TurnCounter turns(*loop);
    std::vector<int> at;
    for (int i = 0; i < count; ++i) loop->post([&] { at.push_back(turns.turns); });
    loop->run_until([&] { return at.size() == static_cast<std::size_t>(count); });
    EXPECT_EQ(at.back() - at.front(), count > 3 ? 1 : 0) << count;
  }
}

TEST_F(EventLoopTest, TimersPerTurnHaveABudget) {
  for (const int count : {2, 3, 4}) {
    loop = make({.timers_per_turn = 3});
    TurnCounter turns(*loop);
    std::vector<int> at;
    for (int i = 0; i < count; ++i) loop->run_after(0ns, [&] { at.push_back(turns.turns); });
    loop->run_until([&] { return at.size() == static_cast<std::size_t>(count); });
    EXPECT_EQ(at.back() - at.front(), count > 3 ? 1 : 0) << count;
  }
}

TEST_F(EventLoopTest, DeadlinesPerTurnHaveTheSameBudget) {
  loop = make({.timers_per_turn = 3});
  std::vector<Probe> probes(10);
  for (Probe& probe : probes) loop->set_deadline(probe, clock.now() + 1s);
  clock.advance(2s);
  const auto fired = [&probes] {
    return std::ranges::count_if(probes, [](const Probe& probe) { return probe.fired > 0; });
  };
  std::vector<long> seen;
  TurnCounter turns(*loop);
  loop->run_until([&] {
    seen.push_back(fired());
    return fired() == 10;
  });
  for (std::size_t i = 1; i < seen.size(); ++i) EXPECT_LE(seen[i] - seen[i - 1], 3);
}

TEST_F(EventLoopTest, WorkForTheEndOfATurnThatComesAgainWaitsForTheNextTurn) {
  TurnCounter turns(*loop);
  loop->post([&] { EXPECT_EQ(turns.turns, 0); });
  loop->run_until([&] { return turns.turns == 3; });
}

// ---- channels

TEST_F(EventLoopTest, AChannelIsHeardWhileItIsRegistered) {
  Ready ready(*loop, nullptr);
  ready.signal();
  idle();
  EXPECT_EQ(ready.calls, 1);
  idle();
  EXPECT_EQ(ready.calls, 1);
  ASSERT_TRUE(loop->set_interest(ready, kNothing));
  ready.signal();
  idle();
  EXPECT_EQ(ready.calls, 1);
  ASSERT_TRUE(loop->set_interest(ready, kReadable));
  idle();
  EXPECT_EQ(ready.calls, 2);
  loop->remove(ready);
  loop->remove(ready);
  ready.signal();
  idle();
  EXPECT_EQ(ready.calls, 2);
}

TEST_F(EventLoopTest, TheSameInterestIsNoSystemCall) {
  Ready ready(*loop, nullptr);
  const CallWatch watch;
  ASSERT_TRUE(loop->set_interest(ready, kReadable));
  EXPECT_EQ(watch.of(Call::kEpollModify), 0U);
}

TEST_F(EventLoopTest, AChannelMayRemoveAndDestroyAnotherThatIsReadyInTheSameTurn) {
  std::vector<std::unique_ptr<Ready>> all;
  int calls = 0;
  for (int i = 0; i < 5; ++i) {
    all.push_back(std::make_unique<Ready>(*loop, [&](Ready& self) {
      ++calls;
      for (auto& each : all) {
        if (each.get() != &self) each.reset();
      }
    }));
  }
  for (auto& each : all) each->signal();
  idle();
  EXPECT_EQ(calls, 1);
}

TEST_F(EventLoopTest, AChannelMayDestroyItself) {
  std::unique_ptr<Ready> self;
  self = std::make_unique<Ready>(*loop, [&self](Ready&) { self.reset(); });
  self->signal();
  idle();
  EXPECT_EQ(self, nullptr);
}

TEST_F(EventLoopTest, AForgottenChannelIsNotCalledInTheSameTurn) {
  std::vector<Ready*> all;
  int calls = 0;
  const auto forget_the_other = [&](Ready& self) {
    ++calls;
    loop->forget(*all[all[0] == &self ? 1 : 0]);
  };
  Ready first(*loop, forget_the_other);
  Ready second(*loop, forget_the_other);
  all = {&first, &second};
  first.signal();
  second.signal();
  loop->run_until([&calls] { return calls > 0; });  // one turn: their descriptors stay open here
  EXPECT_EQ(calls, 1);
}

// ---- stalls

class StallTest : public EventLoopTest {
 protected:
  StallTest() { loop = make({.stall_warn = 100ms}); }
  test::CapturedLog log;
};

TEST_F(StallTest, ATurnAsLongAsTheLimitIsLogged) {
  for (const auto length : {99ms, 100ms, 101ms}) {
    const auto before = loop->stalls();
    loop->post([this, length] { clock.advance(length); });
    idle();
    EXPECT_EQ(loop->stalls() - before, length >= 100ms ? 1U : 0U) << length.count();
  }
  EXPECT_THAT(log.lines(), ElementsAre(HasSubstr("took 100 ms (longest: posted function, 100 ms)"),
                                       HasSubstr("took 101 ms")));
}

TEST_F(StallTest, ZeroSwitchesItOff) {
  loop = make({.stall_warn = 0ms});
  loop->post([this] { clock.advance(1h); });
  idle();
  EXPECT_EQ(loop->stalls(), 0U);
  EXPECT_THAT(log.lines(), IsEmpty());
}

TEST_F(StallTest, TheLongestCallbackIsNamed) {
  Ready slow(*loop, [this](Ready&) { clock.advance(80ms); });
  loop->run_after(0ns, [this] { clock.advance(30ms); });
  slow.signal();
  idle();
  EXPECT_THAT(log.lines(), ElementsAre(HasSubstr("took 110 ms (longest: ready, 80 ms)")));
}

TEST_F(StallTest, ATimerIsNamed) {
  loop->run_after(0ns, [this] { clock.advance(300ms); });
  idle();
  EXPECT_THAT(log.lines(), ElementsAre(HasSubstr("longest: timer, 300 ms")));
}

TEST_F(StallTest, ALabelNamesTheWorkInsteadOfTheChannel) {
  Ready slow(*loop, [this](Ready&) {
    loop->set_label("GET /slow");
    clock.advance(200ms);
  });
  slow.signal();
  idle();
  EXPECT_THAT(log.lines(), ElementsAre(HasSubstr("longest: GET /slow, 200 ms")));
}

TEST_F(StallTest, TheEndOfTheTurnCountsToo) {
  class Slow final : public TurnEnd {
   public:
    explicit Slow(test::ManualClock& clock) : clock_(clock) {}
    void on_turn_end() override { clock_.advance(150ms); }
    test::ManualClock& clock_;
  };
  Slow slow(clock);
  loop->at_turn_end(slow);
  idle();
  EXPECT_THAT(log.lines(), ElementsAre(HasSubstr("longest: end of the turn, 150 ms")));
}

TEST_F(StallTest, AChannelThatDestroysItselfIsNamedWithoutBeingTouched) {
  std::unique_ptr<Ready> self;
  self = std::make_unique<Ready>(*loop, [&](Ready&) {
    clock.advance(200ms);
    self.reset();
  });
  self->signal();
  idle();
  EXPECT_THAT(log.lines(), ElementsAre(HasSubstr("longest: removed, 200 ms")));
}

}  // namespace
}  // namespace ssx::net
