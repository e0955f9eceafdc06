#include "ssxrver/net/connection_limits.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

namespace ssx::net {
namespace {

constexpr std::uint64_t kFiles = 1'000'000;

WorkerOptions workers(unsigned count, std::int64_t connections = -1, std::int64_t per_worker = -1) {
  WorkerOptions options;
  options.count = count;
  options.connections = connections;
  options.connections_per_worker = per_worker;
  return options;
}

TEST(ConnectionLimits, TakesExactlyTheMaximum) {
  ConnectionLimits limits(workers(2, 5), kFiles);
  for (int i = 0; i < 5; ++i) EXPECT_TRUE(limits.try_add(static_cast<unsigned>(i % 2))) << i;
  EXPECT_FALSE(limits.try_add(0));
  EXPECT_FALSE(limits.try_add(1));
  EXPECT_EQ(limits.total(), 5U);
  limits.remove(0);
  EXPECT_EQ(limits.total(), 4U);
  EXPECT_TRUE(limits.try_add(1));
  EXPECT_FALSE(limits.try_add(0));
}

// 2021: the limit compared the number of the descriptor. This one counts connections, per worker.
TEST(ConnectionLimits, CountsConnectionsOfEachWorker) {
  ConnectionLimits limits(workers(2, -1, 3), kFiles);
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(limits.try_add(0));
  EXPECT_FALSE(limits.try_add(0));
  EXPECT_EQ(limits.of(0), 3U);
  EXPECT_TRUE(limits.try_add(1));
  EXPECT_EQ(limits.total(), 4U);
  limits.remove(0);
  EXPECT_TRUE(limits.try_add(0));
  EXPECT_FALSE(limits.try_add(0));
  EXPECT_EQ(limits.total(), 4U);  // refusals left nothing behind
}

// D03: reached and released a thousand times.
TEST(ConnectionLimits, StaysExactOverAThousandRounds) {
  ConnectionLimits limits(workers(3, 10, 4), kFiles);
  for (int round = 0; round < 1000; ++round) {
    std::vector<unsigned> taken;
    while (const auto worker =
               limits.try_add(round % 2 == 0 ? Balance::kRoundRobin : Balance::kLeastConnections)) {
      taken.push_back(*worker);
    }
    ASSERT_EQ(taken.size(), 10U);
    ASSERT_EQ(limits.total(), 10U);
    for (const unsigned worker : taken) limits.remove(worker);
    ASSERT_EQ(limits.total(), 0U);
    for (unsigned worker = 0; worker < 3; ++worker) ASSERT_EQ(limits.of(worker), 0U);
  }
}

TEST(ConnectionLimits, RoundRobinTakesTurnsAndPassesOverAFullWorker) {
  ConnectionLimits limits(workers(3, -1, 2), kFiles);
  EXPECT_TRUE(limits.try_add(1));
  EXPECT_TRUE(limits.try_add(1));
  std::vector<unsigned> order;
  for (int i = 0; i < 4; ++i) order.push_back(limits.try_add(Balance::kRoundRobin).value_or(99));
  EXPECT_EQ(order, (std::vector<unsigned>{0, 2, 0, 2}));
  EXPECT_FALSE(limits.try_add(Balance::kRoundRobin));
}

TEST(ConnectionLimits, SayWhenTheyAreFullAndTakeNothingForIt) {
  for (const auto& [connections, per_worker] :
       std::vector<std::pair<std::int64_t, std::int64_t>>{{4, -1}, {-1, 2}, {4, 2}}) {
    ConnectionLimits limits(workers(2, connections, per_worker), kFiles);
    for (std::uint64_t taken = 0; taken < 4; ++taken) {
      EXPECT_FALSE(limits.is_full());
      EXPECT_EQ(limits.total(), taken);
      const unsigned worker = limits.try_add(Balance::kRoundRobin).value();
      EXPECT_EQ(limits.is_full(worker), taken == 3 || (per_worker == 2 && limits.of(worker) == 2));
    }
    EXPECT_TRUE(limits.is_full());
    limits.remove(1);
    EXPECT_FALSE(limits.is_full());
    EXPECT_FALSE(limits.is_full(1));
    EXPECT_EQ(limits.is_full(0), per_worker == 2);
  }
}

TEST(ConnectionLimits, LeastConnectionsFillsTheEmptiest) {
  ConnectionLimits limits(workers(3), kFiles);
  for (int i = 0; i < 2; ++i) EXPECT_TRUE(limits.try_add(0));
  EXPECT_TRUE(limits.try_add(1));
  std::vector<unsigned> order;
  for (int i = 0; i < 4; ++i) {
    order.push_back(limits.try_add(Balance::kLeastConnections).value_or(99));
  }
  EXPECT_EQ(order, (std::vector<unsigned>{2, 1, 2, 0}));
}

TEST(ConnectionLimits, TheSoftLimitIsAPercentage) {
  for (const auto& [percent, expected] :
       std::vector<std::pair<unsigned, std::uint64_t>>{{1, 1}, {50, 5}, {90, 9}, {100, 10}}) {
    WorkerOptions options = workers(1, 10);
    options.overload_percent = percent;
    ConnectionLimits limits(options, kFiles);
    EXPECT_EQ(limits.soft_max(), expected);
    for (std::uint64_t taken = 0; taken < 10; ++taken) {
      EXPECT_TRUE(limits.try_add(0));
    }
  }
}

TEST(ConnectionLimits, WithoutALimitOfItsOwnTheFilesDecide) {
  const auto max = [](std::uint64_t files) { return ConnectionLimits(workers(1), files).max(); };
  EXPECT_EQ(max(64), 1U);
  EXPECT_EQ(max(0), 1U);
  EXPECT_EQ(max(65), 1U);
  EXPECT_EQ(max(164), 80U);
  EXPECT_EQ(max(1024), 768U);
  EXPECT_EQ(max(125'063), 99'999U);
  EXPECT_EQ(max(125'064), 100'000U);
  EXPECT_EQ(max(125'066), 100'000U);
  EXPECT_EQ(max(UINT64_MAX), 100'000U);  // "unlimited" does not overflow
}

TEST(ConnectionLimits, TheProfileBoundsTheAutomaticMaximum) {
  WorkerOptions options = workers(1);
  options.connections_auto_max = 20'000;
  EXPECT_EQ(ConnectionLimits(options, kFiles).max(), 20'000U);
  options.connections = 30'000;  // what was asked for is what is taken
  EXPECT_EQ(ConnectionLimits(options, kFiles).max(), 30'000U);
}

TEST(ConnectionLimits, HugeLimitsDoNotOverflow) {
  const ConnectionLimits limits(workers(1, INT64_MAX), kFiles);
  EXPECT_EQ(limits.max(), static_cast<std::uint64_t>(INT64_MAX));
  EXPECT_GT(limits.soft_max(), limits.max() / 100 * 89);
  EXPECT_LT(limits.soft_max(), limits.max());
}

}  // namespace
}  // namespace ssx::net
