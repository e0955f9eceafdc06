#include "ssxrver/net/event_loop.h"

#include "tests/net/event_loop_fixture.h"

namespace ssx::net {
namespace {

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
