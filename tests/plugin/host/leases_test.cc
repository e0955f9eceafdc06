#include "ssxrver/plugin/host/leases.h"

#include <gtest/gtest.h>

#include <thread>
#include <utility>
#include <vector>

namespace ssx::plugins {
namespace {

TEST(PluginLeases, SayWhatHoldsIt) {
  Leases leases;
  EXPECT_EQ(leases.to_string(), "");
  {
    const Lease one(leases, LeaseKind::kSockets);
    const Lease two(leases, LeaseKind::kSockets);
    const Lease three(leases, LeaseKind::kBodies);
    EXPECT_EQ(leases.to_string(), "1 body, 2 sockets");
    EXPECT_EQ(leases.total(), 3U);
    EXPECT_EQ(leases.count(LeaseKind::kSockets), 2U);
  }
  EXPECT_EQ(leases.to_string(), "");
  EXPECT_EQ(leases.total(), 0U);
}

TEST(PluginLeases, KnowWhatEndsByItself) {
  Leases leases;
  const Lease repeats(leases, LeaseKind::kRepeats);
  {
    const Lease once(leases, LeaseKind::kTimers);
    EXPECT_EQ(leases.work(), 1U);
    EXPECT_EQ(leases.total(), 2U);
  }
  EXPECT_EQ(leases.work(), 0U);
  EXPECT_EQ(leases.total(), 1U);
  EXPECT_EQ(leases.to_string(), "1 repeating timer");
}

TEST(PluginLeases, MoveAndEndOnce) {
  Leases leases;
  Lease first(leases, LeaseKind::kTimers);
  Lease second(std::move(first));
  EXPECT_EQ(leases.total(), 1U);
  first = std::move(second);
  EXPECT_EQ(leases.total(), 1U);
  first.end();
  first.end();
  EXPECT_EQ(leases.total(), 0U);
}

TEST(PluginLeases, AreTakenOnEveryThread) {
  Leases leases;
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&leases] {
      for (int j = 0; j < 1000; ++j) const Lease lease(leases, LeaseKind::kTasks);
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(leases.total(), 0U);
  EXPECT_EQ(leases.to_string(), "");
}

}  // namespace
}  // namespace ssx::plugins
