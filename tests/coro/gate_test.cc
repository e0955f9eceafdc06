#include "ssxrver/coro/gate.h"

#include <gtest/gtest.h>

#include <utility>

#include "ssxrver/coro/task.h"
#include "tests/coro/event.h"

namespace ssx {
namespace {

Task<> wait_for(Gate& gate) { co_await gate.empty(); }

TEST(Gate, CountsWhoIsInside) {
  Gate gate;
  auto first = gate.enter();
  EXPECT_TRUE(first);
  {
    const auto second = gate.enter();
    EXPECT_EQ(gate.count(), 2u);
  }
  EXPECT_EQ(gate.count(), 1u);
  first.leave();
  first.leave();  // twice is once
  EXPECT_EQ(gate.count(), 0u);
}

TEST(Gate, AMovedPassLeavesOnce) {
  Gate gate;
  auto first = gate.enter();
  auto second = std::move(first);
  EXPECT_EQ(gate.count(), 1u);
  second = gate.enter();  // the one it held leaves
  EXPECT_EQ(gate.count(), 1u);
  second = Gate::Pass();
  EXPECT_EQ(gate.count(), 0u);
}

TEST(Gate, RefusesOnceClosed) {
  Gate gate;
  gate.close();
  gate.close();
  EXPECT_TRUE(gate.closed());
  EXPECT_FALSE(gate.enter());
  EXPECT_EQ(gate.count(), 0u);
}

TEST(Gate, IsEmptyAtOnceWhenNobodyIsInside) {
  Gate gate;
  gate.close();
  Noted noted;
  auto task = wait_for(gate);
  EXPECT_TRUE(task.start(noted));
}

TEST(Gate, TellsTheWaiterWhenTheLastLeaves) {
  Gate gate;
  auto first = gate.enter();
  auto second = gate.enter();
  gate.close();
  Noted noted;
  auto task = wait_for(gate);
  ASSERT_FALSE(task.start(noted));
  first.leave();
  EXPECT_EQ(noted.times, 0);
  second.leave();
  EXPECT_EQ(noted.times, 1);
}

TEST(Gate, ForgetsAWaiterThatWasCancelled) {
  Gate gate;
  auto pass = gate.enter();
  gate.close();
  Noted noted;
  {
    auto task = wait_for(gate);
    ASSERT_FALSE(task.start(noted));
  }
  pass.leave();
  EXPECT_EQ(noted.times, 0);
}

TEST(Gate, TellsAnOwnerThatIsNoCoroutine) {
  Gate gate;
  auto pass = gate.enter();
  gate.close();
  Noted noted;
  ASSERT_FALSE(gate.wait_empty(noted));
  pass.leave();
  EXPECT_EQ(noted.times, 1);
  EXPECT_TRUE(gate.wait_empty(noted));
}

TEST(GateDeathTest, AssertsThatItIsEmptyAtItsEnd) {
  EXPECT_DEATH(
      {
        auto gate = std::make_unique<Gate>();
        const auto pass = gate->enter();
        gate.reset();
      },
      "count_");
}

TEST(GateDeathTest, IsClosedBeforeItIsWaitedFor) {
  Gate gate;
  Noted noted;
  EXPECT_DEATH(std::ignore = gate.wait_empty(noted), "closed_");
}

TEST(GateDeathTest, HasOneWaiter) {
  EXPECT_DEATH(
      {
        Gate gate;
        const auto pass = gate.enter();
        gate.close();
        Noted first;
        Noted second;
        std::ignore = gate.wait_empty(first);
        std::ignore = gate.wait_empty(second);
      },
      "waiter_");
}

}  // namespace
}  // namespace ssx
