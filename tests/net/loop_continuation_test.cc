#include "ssxrver/net/loop_continuation.h"

#include "ssxrver/coro/when_any.h"
#include "ssxrver/net/awaitables.h"
#include "ssxrver/net/spawn.h"
#include "ssxrver/net/timeout.h"
#include "tests/net/event_loop_fixture.h"

namespace ssx::net {
namespace {

class StallOfACoroutine : public EventLoopTest {
 protected:
  StallOfACoroutine() { loop = make({.stall_warn = 100ms}); }
  /// Begins it as work of that name; null: of none.
  void begin(const char* name, Task<> work) {
    loop->post([this, name, task = std::move(work)]() mutable {
      if (name != nullptr) loop->set_label(name);
      spawn(*loop, std::move(task), &log_failure);
      loop->callback_ended("begin");
    });
    idle();
  }
  Task<> sleep_then_take(Duration delay, Duration taken) {
    co_await sleep_for(delay);
    clock.advance(taken);
  }
  Task<> yield_then_take(Duration taken) {
    co_await yield();
    clock.advance(taken);
  }
  Task<> time_out_then_take(Duration limit, Duration taken) {
    const auto result = co_await with_timeout(limit, sleep_then_take(1h, 0s));
    EXPECT_FALSE(result);
    clock.advance(taken);
  }
  Task<> cancel_then_take(Duration delay, Duration taken) {
    co_await when_any(sleep_then_take(delay, 0s), sleep_then_take(1h, 0s));
    clock.advance(taken);
  }
  void pass(Duration time) {
    clock.advance(time);
    idle();
  }
  test::CapturedLog log;
};

TEST_F(StallOfACoroutine, IsChargedToItsWorkWhateverWokeIt) {
  begin("GET /slow", sleep_then_take(1s, 200ms));
  EXPECT_THAT(log.lines(), IsEmpty());
  pass(1s);
  EXPECT_THAT(log.lines(), ElementsAre(HasSubstr("longest: GET /slow, 200 ms")));
}

TEST_F(StallOfACoroutine, IsChargedAtTheEndOfATurnToo) {
  begin("GET /later", yield_then_take(150ms));
  EXPECT_THAT(log.lines(), ElementsAre(HasSubstr("longest: GET /later, 150 ms")));
}

TEST_F(StallOfACoroutine, IsChargedAfterATimeoutToo) {
  begin("GET /late", time_out_then_take(1s, 200ms));
  pass(1s);
  EXPECT_THAT(log.lines(), ElementsAre(HasSubstr("longest: GET /late, 200 ms")));
}

TEST_F(StallOfACoroutine, IsChargedAtTheEndOfTheRunOfAChildToo) {
  begin("GET /any", cancel_then_take(1s, 200ms));
  pass(1s);
  EXPECT_THAT(log.lines(), ElementsAre(HasSubstr("longest: GET /any, 200 ms")));
}

TEST_F(StallOfACoroutine, IsNotChargedToWhoeverWakesUpBesideIt) {
  begin("GET /slow", sleep_then_take(1s, 300ms));
  begin("GET /quick", sleep_then_take(1s, 1ms));
  pass(1s);
  EXPECT_THAT(log.lines(), ElementsAre(HasSubstr("longest: GET /slow, 300 ms")));
}

TEST_F(StallOfACoroutine, IsNotChargedForAFunctionInFrontOfIt) {
  loop->run_after(1s, [this] { clock.advance(300ms); });
  begin("GET /quick", sleep_then_take(1s, 1ms));
  pass(1s);
  EXPECT_THAT(log.lines(), ElementsAre(HasSubstr("longest: callback, 300 ms")));
}

TEST_F(StallOfACoroutine, WithoutANameIsATimers) {
  begin(nullptr, sleep_then_take(1s, 200ms));
  pass(1s);
  EXPECT_THAT(log.lines(), ElementsAre(HasSubstr("longest: timer, 200 ms")));
}

}  // namespace
}  // namespace ssx::net
