#include "ssxrver/coro/semaphore.h"

#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include "ssxrver/coro/task.h"
#include "tests/coro/event.h"
#include "tests/coro/stack_span.h"

namespace ssx {
namespace {

static_assert(!std::is_aggregate_v<Semaphore::AcquireAwaiter>);  // GCC 12
static_assert(!std::is_copy_constructible_v<Semaphore::Permit>);

using Permit = Semaphore::Permit;

/// Notes when it got in, and stays until the event.
Task<> visit(Semaphore& semaphore, std::vector<int>& steps, int name, Event& leaves) {
  const auto permit = co_await semaphore.acquire();
  steps.push_back(permit ? name : -name);
  co_await leaves;
}

/// A Task beside the test.
struct Visitor {
  Visitor(Semaphore& semaphore, std::vector<int>& steps, int name)
      : task(visit(semaphore, steps, name, leaves)) {
    EXPECT_FALSE(task.start(noted));
  }
  Event leaves;
  Noted noted;
  Task<> task;
};

TEST(Semaphore, LetsInAsManyAsItHasPermits) {
  Semaphore semaphore(2);
  std::vector<int> steps;
  Visitor first(semaphore, steps, 1);
  EXPECT_EQ(semaphore.available(), 1u);
  Visitor second(semaphore, steps, 2);
  EXPECT_EQ(semaphore.available(), 0u);
  Visitor third(semaphore, steps, 3);
  EXPECT_EQ(steps, (std::vector<int>{1, 2}));
  EXPECT_EQ(semaphore.waiters(), 1u);
  second.leaves.fire();
  EXPECT_EQ(steps, (std::vector<int>{1, 2, 3}));
  EXPECT_EQ(semaphore.waiters(), 0u);
  first.leaves.fire();
  third.leaves.fire();
  EXPECT_EQ(semaphore.available(), 2u);
}

TEST(Semaphore, ServesInTheOrderOfComing) {
  Semaphore semaphore(1);
  std::vector<int> steps;
  std::vector<std::unique_ptr<Visitor>> visitors;
  for (int i = 1; i <= 5; ++i) visitors.push_back(std::make_unique<Visitor>(semaphore, steps, i));
  for (auto& visitor : visitors) visitor->leaves.fire();
  EXPECT_EQ(steps, (std::vector<int>{1, 2, 3, 4, 5}));
}

TEST(Semaphore, NobodyOvertakesAWaiter) {
  Semaphore semaphore(1);
  std::vector<int> steps;
  auto held = semaphore.try_acquire();
  const auto waits = [](Semaphore& place, std::vector<int>& log) -> Task<> {
    const auto first = co_await place.acquire();
    log.push_back(1);
  };
  const auto takes_and_comes_again = [](Semaphore& place, std::vector<int>& log) -> Task<> {
    {
      const auto first = co_await place.acquire();
      log.push_back(2);
    }
    // One waits still, and the permit that was given back is for it.
    EXPECT_FALSE(place.try_acquire());
    const auto second = co_await place.acquire();
    log.push_back(4);
  };
  const auto comes_third = [](Semaphore& place, std::vector<int>& log) -> Task<> {
    const auto first = co_await place.acquire();
    log.push_back(3);
  };
  Noted noted;
  auto a = waits(semaphore, steps);
  auto b = takes_and_comes_again(semaphore, steps);
  auto c = comes_third(semaphore, steps);
  ASSERT_FALSE(a.start(noted));
  ASSERT_FALSE(b.start(noted));
  ASSERT_FALSE(c.start(noted));
  held.release();
  EXPECT_EQ(steps, (std::vector<int>{1, 2, 3, 4}));
  EXPECT_EQ(noted.times, 3);
}

TEST(Semaphore, TryAcquireNeverWaits) {
  Semaphore semaphore(1);
  auto first = semaphore.try_acquire();
  EXPECT_TRUE(first);
  EXPECT_FALSE(semaphore.try_acquire());
  EXPECT_EQ(semaphore.refused(), 0u);  // it asked for no place in the line
  first.release();
  first.release();  // twice is once
  EXPECT_EQ(semaphore.available(), 1u);
  EXPECT_TRUE(semaphore.try_acquire());
}

TEST(Semaphore, AMovedPermitIsReleasedOnce) {
  Semaphore semaphore(2);
  auto first = semaphore.try_acquire();
  auto second = std::move(first);
  EXPECT_FALSE(first);  // NOLINT(bugprone-use-after-move): that is the question
  EXPECT_TRUE(second);
  EXPECT_EQ(semaphore.available(), 1u);
  auto third = semaphore.try_acquire();
  second = std::move(third);  // the one it held is released
  EXPECT_EQ(semaphore.available(), 1u);
  second = Permit();
  EXPECT_EQ(semaphore.available(), 2u);
}

TEST(Semaphore, APermitThatIsMovedOnReleasesWhereItEnds) {
  Semaphore semaphore(1);
  std::optional<Permit> kept;
  const auto takes = [](Semaphore& place, std::optional<Permit>& to) -> Task<> {
    to = co_await place.acquire();
  };
  run_now(takes(semaphore, kept));
  EXPECT_EQ(semaphore.available(), 0u);
  kept.reset();
  EXPECT_EQ(semaphore.available(), 1u);
}

TEST(Semaphore, ACancelledWaiterLeavesTheLine) {
  for (const std::size_t cancelled : {0u, 1u, 2u}) {
    Semaphore semaphore(1);
    std::vector<int> steps;
    auto held = semaphore.try_acquire();
    std::vector<std::unique_ptr<Visitor>> visitors;
    visitors.reserve(3);
    for (int i = 0; i < 3; ++i) visitors.push_back(std::make_unique<Visitor>(semaphore, steps, i));
    visitors[cancelled]->task.reset();
    EXPECT_EQ(semaphore.waiters(), 2u);
    held.release();
    for (auto& visitor : visitors) visitor->leaves.fire();
    std::vector<int> expected{0, 1, 2};
    expected.erase(expected.begin() + static_cast<std::ptrdiff_t>(cancelled));
    EXPECT_EQ(steps, expected);
    EXPECT_EQ(semaphore.available(), 1u);
  }
}

TEST(Semaphore, ACancelledHolderLetsTheNextIn) {
  Semaphore semaphore(1);
  std::vector<int> steps;
  Visitor first(semaphore, steps, 1);
  Visitor second(semaphore, steps, 2);
  first.task.reset();
  EXPECT_EQ(steps, (std::vector<int>{1, 2}));
  second.leaves.fire();
}

TEST(Semaphore, AWaiterMayCancelTheNextWhenItIsLetIn) {
  Semaphore semaphore(1);
  std::vector<int> steps;
  auto held = semaphore.try_acquire();
  std::unique_ptr<Visitor> victim;
  const auto body = [](Semaphore& place, std::unique_ptr<Visitor>& next) -> Task<> {
    const auto permit = co_await place.acquire();
    next->task.reset();
  };
  Noted noted;
  auto killer = body(semaphore, victim);
  ASSERT_FALSE(killer.start(noted));
  victim = std::make_unique<Visitor>(semaphore, steps, 1);
  Visitor last(semaphore, steps, 2);
  held.release();
  EXPECT_EQ(noted.times, 1);
  EXPECT_EQ(steps, std::vector<int>{2});
  last.leaves.fire();
}

TEST(Semaphore, RefusesWhoComesWhenTheLineIsFull) {
  constexpr std::size_t kWaiters = 3;
  SemaphoreOptions options{.permits = 1, .waiters_max = kWaiters};
  Semaphore semaphore(options);
  std::vector<int> steps;
  auto held = semaphore.try_acquire();
  std::vector<std::unique_ptr<Visitor>> waiting;
  for (std::size_t i = 0; i < kWaiters; ++i) {
    waiting.push_back(std::make_unique<Visitor>(semaphore, steps, 1));
    EXPECT_EQ(semaphore.waiters(), i + 1);
    EXPECT_EQ(semaphore.refused(), 0u);
  }
  Visitor refused(semaphore, steps, 2);
  EXPECT_EQ(steps, std::vector<int>{-2});  // at once, with an empty Permit
  EXPECT_EQ(semaphore.refused(), 1u);
  EXPECT_EQ(semaphore.waiters(), kWaiters);
  waiting.pop_back();
  Visitor waits_again(semaphore, steps, 3);
  EXPECT_EQ(semaphore.refused(), 1u);
  held.release();
  for (auto& visitor : waiting) visitor->leaves.fire();
  EXPECT_EQ(steps, (std::vector<int>{-2, 1, 1, 3}));
}

TEST(Semaphore, WithoutALineNobodyWaits) {
  SemaphoreOptions options{.permits = 1, .waiters_max = 0};
  Semaphore semaphore(options);
  std::vector<int> steps;
  Visitor first(semaphore, steps, 1);
  Visitor second(semaphore, steps, 2);
  EXPECT_EQ(steps, (std::vector<int>{1, -2}));
  EXPECT_EQ(semaphore.refused(), 1u);
}

constexpr int kMany = 1'000'000;

TEST(Semaphore, AMillionAcquisitionsAtOnceLeaveTheStackFlat) {
  Semaphore semaphore(1);
  StackSpan span;
  const auto body = [](Semaphore& place, StackSpan& used) -> Task<> {
    for (int i = 0; i < kMany; ++i) {
      const auto permit = co_await place.acquire();
      EXPECT_TRUE(permit);
      used.note();
    }
  };
  run_now(body(semaphore, span));
  EXPECT_LT(span.bytes(), 16u * 1024u);
}

TEST(Semaphore, ALongLineThatLetsEachOtherInLeavesTheStackFlat) {
  constexpr std::size_t kWaiters = 20'000;
  Semaphore semaphore(1);
  StackSpan span;
  const auto body = [](Semaphore& place, StackSpan& used) -> Task<> {
    const auto permit = co_await place.acquire();
    used.note();
  };
  auto held = semaphore.try_acquire();
  Noted noted;
  std::vector<Task<>> line;
  for (std::size_t i = 0; i < kWaiters; ++i) {
    line.push_back(body(semaphore, span));
    ASSERT_FALSE(line.back().start(noted));
  }
  held.release();
  EXPECT_EQ(noted.times, static_cast<int>(kWaiters));
  EXPECT_LT(span.bytes(), 16u * 1024u);
}

TEST(SemaphoreDeathTest, HasAPermitAtLeast) { EXPECT_DEATH(Semaphore(0), "permits"); }

TEST(SemaphoreDeathTest, OutlivesItsPermits) {
  EXPECT_DEATH(
      {
        auto semaphore = std::make_unique<Semaphore>(1);
        const auto permit = semaphore->try_acquire();
        semaphore.reset();
      },
      "available_");
}

TEST(SemaphoreDeathTest, OutlivesItsWaiters) {
  EXPECT_DEATH(
      {
        auto semaphore = std::make_unique<Semaphore>(1);
        std::vector<int> steps;
        const auto permit = semaphore->try_acquire();
        Visitor waits(*semaphore, steps, 1);
        semaphore.reset();
      },
      "waiting_");
}

}  // namespace
}  // namespace ssx
