#include "websocket/byte_budget.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cstddef>
#include <limits>
#include <thread>
#include <vector>

namespace ssx::websocket {
namespace {

TEST(ByteBudget, GivesUpToItsLimitAndNoByteMore) {
  ByteBudget budget(100);
  EXPECT_FALSE(budget.try_take(101));
  EXPECT_TRUE(budget.try_take(99));
  EXPECT_FALSE(budget.try_take(2));
  EXPECT_TRUE(budget.try_take(1));
  EXPECT_FALSE(budget.try_take(1));
  EXPECT_EQ(budget.used(), 100U);
  EXPECT_EQ(budget.refused(), 3U);
  budget.give_back(100);
  EXPECT_TRUE(budget.try_take(100));
}

TEST(ByteBudget, CountsWhatIsTakenBeyondIt) {
  ByteBudget budget(10);
  budget.take(15);
  EXPECT_EQ(budget.used(), 15U);
  EXPECT_FALSE(budget.try_take(0));
  EXPECT_FALSE(budget.try_take(std::numeric_limits<std::size_t>::max()));
  budget.give_back(15);
  EXPECT_TRUE(budget.try_take(10));
}

TEST(ByteBudget, IsNeverOverdrawnByManyThreads) {
  ByteBudget budget(3);
  std::atomic<bool> is_overdrawn{false};
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&budget, &is_overdrawn] {
      for (int round = 0; round < 10000; ++round) {
        if (!budget.try_take(1)) continue;
        if (budget.used() > 3) is_overdrawn = true;
        budget.give_back(1);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_FALSE(is_overdrawn);
  EXPECT_EQ(budget.used(), 0U);
}

}  // namespace
}  // namespace ssx::websocket
