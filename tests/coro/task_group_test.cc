// Who is on the stack when a group ends: children that resume each other, awaiters that go.
#include "ssxrver/coro/task_group.h"

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <utility>
#include <vector>

#include "ssxrver/coro/semaphore.h"
#include "ssxrver/coro/when_all.h"
#include "ssxrver/coro/when_any.h"
#include "tests/coro/event.h"
#include "tests/coro/read_root.h"
#include "tests/coro/stack_span.h"

namespace ssx {
namespace {

using Held = std::shared_ptr<int>;
using Steps = std::vector<int>;

Task<> wait_holding(Event& event, Held) { co_await event; }
Task<> throw_after(Event& event, Held) {
  co_await event;
  throw std::runtime_error("thrown");
}
/// Waits for one event and fires another in its own run, then waits again.
Task<> pass_on(Event& event, Event& next, Event& last, Steps& steps, Held hold) {
  co_await event;
  next.fire();
  steps.push_back(static_cast<int>(hold.use_count()));  // its frame is there still
  co_await last;
  steps.push_back(-1);
}

/// An owner that throws its Task away when it has finished, as a session does.
class Owner final : public Continuation {
 public:
  explicit Owner(Task<> task) noexcept
      : Continuation([](Continuation& self) noexcept { static_cast<Owner&>(self).finish(); }),
        task_(std::move(task)) {
    if (task_.start(*this)) finish();
  }
  void cancel() { task_.reset(); }
  [[nodiscard]] bool gone() const { return !task_; }
  [[nodiscard]] bool failed() const { return failed_; }

 private:
  void finish() {
    try {
      task_.result();
    } catch (const std::runtime_error&) {
      failed_ = true;
    }
    task_.reset();
  }
  Task<> task_;
  bool failed_ = false;
};

class TaskGroupTest : public testing::Test {
 protected:
  [[nodiscard]] bool nobody_is_left() const {
    return held.use_count() == 1 && first.waiting() + second.waiting() + third.waiting() == 0;
  }

  Event first;
  Event second;
  Event third;
  Steps steps;
  Held held = std::make_shared<int>(0);
};

TEST_F(TaskGroupTest, AChildThatFailsInsideTheRunOfAnotherLeavesThatOneUntilItWaits) {
  const auto body = [](Event& a, Event& b, Event& c, Steps& log, Held hold) -> Task<> {
    co_await when_all(pass_on(a, b, c, log, hold), throw_after(b, hold));
  };
  Owner owner(body(first, second, third, steps, held));
  first.fire();  // the first child resumes the second, which throws, inside its own run
  EXPECT_TRUE(owner.failed());
  ASSERT_EQ(steps.size(), 1u);  // it went on, and was cancelled at its next wait
  EXPECT_GT(steps[0], 1);
  EXPECT_TRUE(nobody_is_left());
  third.fire();
  EXPECT_EQ(steps.size(), 1u);
}

TEST_F(TaskGroupTest, AChildThatWinsInsideTheRunOfAnotherLeavesThatOneUntilItWaits) {
  const auto body = [](Event& a, Event& b, Event& c, Steps& log, Held hold) -> Task<> {
    const auto won = co_await when_any(pass_on(a, b, c, log, hold), wait_holding(b, hold));
    log.push_back(static_cast<int>(won.index()));
  };
  Owner owner(body(first, second, third, steps, held));
  first.fire();
  EXPECT_TRUE(owner.gone());
  ASSERT_EQ(steps.size(), 2u);
  EXPECT_EQ(steps[1], 1);
  EXPECT_TRUE(nobody_is_left());
}

/// As pass_on, but it never waits again.
Task<> pass_on_and_end(Event& event, Event& next, Held, bool throws) {
  co_await event;
  next.fire();
  if (throws) throw std::runtime_error("the second one");
}

TEST_F(TaskGroupTest, AChildThatEndsAfterItHasLetAnotherFailEndsTheGroup) {
  for (const bool throws : {false, true}) {
    const auto body = [](Event& a, Event& b, Held hold, bool both) -> Task<> {
      co_await when_all(pass_on_and_end(a, b, hold, both), throw_after(b, hold));
    };
    Owner owner(body(first, second, held, throws));
    first.fire();
    EXPECT_TRUE(owner.failed());
    EXPECT_TRUE(nobody_is_left());
  }
}

TEST_F(TaskGroupTest, AChildMayEndAnotherThatEndsWell) {
  const auto body = [](Event& a, Event& b, Held hold) -> Task<> {
    co_await when_all(pass_on_and_end(a, b, hold, false), wait_holding(b, hold));
  };
  Owner owner(body(first, second, held));
  first.fire();
  EXPECT_TRUE(owner.gone());
  EXPECT_FALSE(owner.failed());
  EXPECT_TRUE(nobody_is_left());
}

/// Fires at its first step, while the group still starts.
Task<> fire_now(Event& event, Event& last, Steps& steps, Held) {
  event.fire();
  steps.push_back(1);
  co_await last;
  steps.push_back(2);
}

TEST_F(TaskGroupTest, AChildThatLetsAnEarlierOneFailAtItsFirstStepIsCancelledAndTheRestNotStarted) {
  const auto body = [](Event& a, Event& b, Steps& log, Held hold) -> Task<> {
    co_await when_all(throw_after(a, hold), fire_now(a, b, log, hold), fire_now(a, b, log, hold));
  };
  Owner owner(body(first, second, steps, held));
  EXPECT_TRUE(owner.failed());
  EXPECT_EQ(steps, Steps{1});
  EXPECT_TRUE(nobody_is_left());
}

TEST_F(TaskGroupTest, ChildrenThatLetEachOtherInBySemaphoreRunOneAfterTheOther) {
  Semaphore semaphore(1);
  const auto child = [](Semaphore& place, Event& event, Steps& log, int step, Held) -> Task<> {
    const auto permit = co_await place.acquire();
    co_await event;
    log.push_back(step);
  };
  const auto body = [](Semaphore& place, Event& event, Steps& log, Held hold, auto make) -> Task<> {
    std::vector<Task<>> tasks;
    tasks.reserve(4);
    for (int i = 0; i < 4; ++i) tasks.push_back(make(place, event, log, i, hold));
    co_await when_all(std::move(tasks));
  };
  Owner owner(body(semaphore, first, steps, held, child));
  EXPECT_EQ(semaphore.waiters(), 3u);
  for (int i = 0; i < 4; ++i) first.fire();
  EXPECT_EQ(steps, (Steps{0, 1, 2, 3}));
  EXPECT_TRUE(owner.gone());
  EXPECT_TRUE(nobody_is_left());
}

TEST_F(TaskGroupTest, AReleaseInAChildsLastStepMayFailTheNextOne) {
  Semaphore semaphore(1);
  const auto holds = [](Semaphore& place, Event& event, Event& last, Steps& log, Held) -> Task<> {
    auto permit = co_await place.acquire();
    co_await event;
    permit.release();  // resumes the next child here, which throws
    log.push_back(1);
    co_await last;
  };
  const auto fails = [](Semaphore& place, Held) -> Task<> {
    const auto permit = co_await place.acquire();
    throw std::runtime_error("thrown");
  };
  const auto body = [](Semaphore& place, Event& a, Event& b, Steps& log, Held hold, auto one,
                       auto two) -> Task<> {
    co_await when_all(one(place, a, b, log, hold), two(place, hold), two(place, hold));
  };
  Owner owner(body(semaphore, first, second, steps, held, holds, fails));
  first.fire();
  EXPECT_TRUE(owner.failed());
  EXPECT_EQ(steps, Steps{1});
  EXPECT_EQ(semaphore.available(), 1u);
  EXPECT_TRUE(nobody_is_left());
}

TEST_F(TaskGroupTest, WhoeverWaitsForAnEarlierChildIsCancelledBeforeIt) {
  Semaphore semaphore(1);
  const auto waits = [](Semaphore& place, Steps& log, Event& last, Held) -> Task<> {
    const auto permit = co_await place.acquire();
    log.push_back(1);
    co_await last;
  };
  const auto holds = [](Semaphore& place, Event& last, Held) -> Task<> {
    const auto permit = co_await place.acquire();
    co_await last;
  };
  const auto body = [](Semaphore& place, Event& a, Event& b, Steps& log, Held hold, auto one,
                       auto two) -> Task<> {
    // The second will hold what the third and the fourth wait for.
    co_await when_all(throw_after(a, hold), one(place, log, b, hold), one(place, log, b, hold),
                      two(place, b, hold));
  };
  auto taken = semaphore.try_acquire();
  Owner fails(body(semaphore, first, second, steps, held, waits, holds));
  taken.release();  // the second child holds it now
  EXPECT_EQ(steps, Steps{1});
  first.fire();
  EXPECT_TRUE(fails.failed());
  EXPECT_EQ(steps, Steps{1});  // nobody was let in by the end of the second
  EXPECT_TRUE(nobody_is_left());
  EXPECT_EQ(semaphore.available(), 1u);
  EXPECT_EQ(semaphore.waiters(), 0u);
}

TEST_F(TaskGroupTest, ACancelledHolderLetsASiblingEndWhichCountsNoMore) {
  Semaphore semaphore(1);
  const auto waits = [](Semaphore& place, Steps& log, bool throws, Held) -> Task<> {
    const auto permit = co_await place.acquire();
    log.push_back(1);
    if (throws) throw std::runtime_error("nobody hears of it");
  };
  const auto holds = [](Semaphore::Permit, Event& last, Held) -> Task<> { co_await last; };
  for (const bool throws : {false, true}) {
    const auto body = [](Semaphore& place, bool fail_too, Event& a, Event& b, Steps& log, Held hold,
                         auto one, auto two) -> Task<> {
      co_await when_any(one(place, log, fail_too, hold), two(place.try_acquire(), b, hold),
                        wait_holding(a, hold));
    };
    for (const bool from_outside : {false, true}) {
      Owner owner(body(semaphore, throws, first, second, steps, held, waits, holds));
      EXPECT_EQ(semaphore.waiters(), 1u);
      if (from_outside) {
        owner.cancel();
      } else {
        first.fire();
      }
      EXPECT_TRUE(owner.gone());
      EXPECT_FALSE(owner.failed());
      EXPECT_TRUE(nobody_is_left());
      EXPECT_EQ(semaphore.available(), 1u);
    }
  }
  EXPECT_EQ(steps, (Steps{1, 1, 1, 1}));
}

TEST_F(TaskGroupTest, TheLastChildMayEndTheAwaiterWhichIsDestroyedThen) {
  const auto body = [](Event& a, Event& b, Held hold) -> Task<> {
    co_await when_all(wait_holding(a, hold), wait_holding(b, hold));
  };
  auto owner = std::make_unique<Owner>(body(first, second, held));
  first.fire();
  EXPECT_FALSE(owner->gone());
  second.fire();
  EXPECT_TRUE(owner->gone());
  EXPECT_TRUE(nobody_is_left());
}

TEST_F(TaskGroupTest, AnAwaiterDestroyedBeforeTheEndOfTheRunHearsNothing) {
  const auto body = [](Event& a, Event& b, Steps& log, Held hold) -> Task<> {
    co_await when_any(wait_holding(a, hold), wait_holding(b, hold));
    log.push_back(1);
  };
  Owner owner(body(first, second, steps, held));
  const auto killer = [](Event& start, Event& other, Owner& victim, Steps& log) -> Task<> {
    co_await start;
    other.fire();  // settles the group, which waits for the end of this run
    EXPECT_TRUE(log.empty());
    victim.cancel();
  };
  Owner outsider(killer(third, first, owner, steps));
  third.fire();
  EXPECT_TRUE(outsider.gone());
  EXPECT_TRUE(steps.empty());
  EXPECT_TRUE(nobody_is_left());
}

TEST_F(TaskGroupTest, GroupsThatEndInOneRunEndInTheOrderInWhichTheyWereSettled) {
  const auto body = [](Event& a, Event& b, Steps& log, int step, Held hold) -> Task<> {
    co_await when_any(wait_holding(a, hold), wait_holding(b, hold));
    log.push_back(step);
  };
  const auto both = [](Event& start, Event& a, Event& b) -> Task<> {
    co_await start;
    b.fire();
    a.fire();
  };
  Event never;
  Owner one(body(first, never, steps, 1, held));
  Owner two(body(second, never, steps, 2, held));
  Owner outsider(both(third, first, second));
  third.fire();
  EXPECT_EQ(steps, (Steps{2, 1}));
  EXPECT_TRUE(nobody_is_left());
}

TEST_F(TaskGroupTest, AnInnerGroupThatFailsInsideTheRunOfAnOuterChildUnwindsBoth) {
  const auto inner = [](Event& b, Event& c, Held hold) -> Task<> {
    co_await when_all(throw_after(b, hold), wait_holding(c, hold));
  };
  const auto body = [](Event& a, Event& b, Event& c, Steps& log, Held hold, auto make) -> Task<> {
    co_await when_all(pass_on(a, b, c, log, hold), make(b, c, hold));
  };
  Owner owner(body(first, second, third, steps, held, inner));
  first.fire();
  EXPECT_TRUE(owner.failed());
  EXPECT_EQ(steps.size(), 1u);
  EXPECT_TRUE(nobody_is_left());
}

TEST_F(TaskGroupTest, AGroupThatWaitsForTheEndOfTheRunIsCancelledByTheOneAroundIt) {
  const auto inner = [](Event& a, Event& b, Steps& log, Held hold) -> Task<> {
    co_await when_any(wait_holding(a, hold), wait_holding(b, hold));
    log.push_back(1);
  };
  const auto body = [](Event& a, Event& b, Steps& log, Held hold, auto make) -> Task<> {
    co_await when_all(throw_after(a, hold), make(a, b, log, hold), wait_holding(b, hold));
  };
  Event start;
  const auto run = [](Event& when, Event& a) -> Task<> {
    co_await when;
    a.fire();  // settles the outer, then the inner one
  };
  Owner owner(body(first, second, steps, held, inner));
  Owner outsider(run(start, first));
  start.fire();
  EXPECT_TRUE(owner.failed());
  EXPECT_TRUE(steps.empty());  // the outer came first, and took the inner with it
  EXPECT_TRUE(nobody_is_left());
}

TEST_F(TaskGroupTest, NothingOfTheOthersIsLeftWhenTheAwaiterContinues) {
  const auto body = [](Event& a, Event& b, Steps& log, Held hold) -> Task<> {
    auto tuple = when_any(wait_holding(a, hold), wait_holding(b, hold));
    co_await tuple;
    log.push_back(static_cast<int>(hold.use_count()));
    std::vector<Task<>> tasks;
    tasks.push_back(wait_holding(a, hold));
    tasks.push_back(wait_holding(b, hold));
    auto list = when_any(std::move(tasks));
    co_await list;
    log.push_back(static_cast<int>(hold.use_count()));
  };
  Owner owner(body(first, second, steps, held));
  first.fire();
  second.fire();
  EXPECT_TRUE(owner.gone());
  EXPECT_EQ(steps, (Steps{2, 2}));  // the fixture's and the parameter
}

TEST_F(TaskGroupTest, TheFrameOfAChildGoesWhenItHasFinished) {
  const auto body = [](Event& a, Event& b, Held hold) -> Task<> {
    co_await when_all(wait_holding(a, hold), wait_holding(b, hold));
  };
  Owner owner(body(first, second, held));
  const auto both = held.use_count();
  first.fire();
  EXPECT_EQ(held.use_count(), both - 1);
  second.fire();
}

TEST_F(TaskGroupTest, ManyGroupsOneAfterTheOtherLeaveTheStackFlat) {
  constexpr int kTimes = 100'000;
  StackSpan span;
  const auto child = [](StackSpan& used) -> Task<> {
    used.note();
    co_return;
  };
  const auto body = [](StackSpan& used, auto make) -> Task<> {
    for (int i = 0; i < kTimes; ++i) {
      co_await when_all(make(used), make(used));
      co_await when_any(make(used), make(used));
    }
  };
  run_now(body(span, child));
  EXPECT_LT(span.bytes(), 16u * 1024u);
}

TEST_F(TaskGroupTest, GroupsThatWaitLeaveTheStackFlatToo) {
  constexpr int kTimes = 20'000;
  StackSpan span;
  const auto child = [](Event& event, StackSpan& used) -> Task<> {
    co_await event;
    used.note();
  };
  const auto body = [](Event& event, StackSpan& used, auto make) -> Task<> {
    for (int i = 0; i < kTimes; ++i) {
      co_await when_all(make(event, used), make(event, used));
      co_await when_any(make(event, used), make(event, used));
    }
  };
  Owner owner(body(first, span, child));
  for (int i = 0; i < 4 * kTimes && !owner.gone(); ++i) first.fire();
  EXPECT_TRUE(owner.gone());
  EXPECT_LT(span.bytes(), 16u * 1024u);
}

TEST_F(TaskGroupTest, ChildrenHaveNoRootForNoneOfThemOwnsTheWholeChain) {
  Root root;
  TaskRoot* seen = &root;
  const auto child = [](TaskRoot*& to) -> Task<> { co_await ReadRoot(to); };
  const auto body = [](TaskRoot*& to, auto make) -> Task<> { co_await when_all(make(to)); };
  Noted noted;
  auto task = body(seen, child);
  ASSERT_TRUE(task.start(noted, &root));
  EXPECT_EQ(seen, nullptr);
}

TEST(TaskGroupDeathTest, IsAwaitedOnce) {
  const auto body = []() -> Task<> {
    auto none = when_all(std::vector<Task<>>());
    co_await none;
    co_await none;
  };
  EXPECT_DEATH(run_now(body()), "state_");
}

}  // namespace
}  // namespace ssx
