// Places taken and given back by many threads at once.
#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

#include "ssxrver/net/connection_limits.h"

namespace ssx::net {
namespace {

TEST(ConnectionLimitsThreads, NoThreadTakesAPlaceTooMany) {
  WorkerOptions options;
  options.count = 4;
  options.connections = 10;
  options.connections_per_worker = 4;
  ConnectionLimits limits(options, 1'000'000);
  std::atomic<int> inside{0};
  std::atomic<int> most{0};
  std::atomic<bool> above{false};
  std::vector<std::thread> threads;
  for (unsigned worker = 0; worker < options.count; ++worker) {
    threads.emplace_back([&, worker] {
      for (int i = 0; i < 20'000; ++i) {
        if (limits.total() > 10) above = true;
        if (!limits.try_add(worker)) continue;
        const int now = inside.fetch_add(1) + 1;
        int seen = most.load();
        while (seen < now && !most.compare_exchange_weak(seen, now)) {
        }
        if (i % 7 == 0) std::this_thread::yield();
        inside.fetch_sub(1);
        limits.remove(worker);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_LE(most, 10);
  EXPECT_FALSE(above);  // not even for a moment
  EXPECT_GT(most, 0);
  EXPECT_EQ(limits.total(), 0U);
  for (unsigned worker = 0; worker < options.count; ++worker) EXPECT_EQ(limits.of(worker), 0U);
}

// One worker is full and goes on asking: no trace of that may cost another its place.
TEST(ConnectionLimitsThreads, AnAttemptThatFailsIsNoConnection) {
  WorkerOptions options;
  options.count = 2;
  options.connections = 2;
  options.connections_per_worker = 1;
  ConnectionLimits limits(options, 1'000'000);
  ASSERT_TRUE(limits.try_add(0));
  std::atomic<bool> ended{false};
  std::thread full([&] {
    while (!ended) EXPECT_FALSE(limits.try_add(0));
  });
  int refused = 0;
  for (int i = 0; i < 100'000; ++i) {
    if (limits.is_full(1) || !limits.try_add(1)) {
      ++refused;
      continue;
    }
    limits.remove(1);
  }
  ended = true;
  full.join();
  EXPECT_EQ(refused, 0);
}

}  // namespace
}  // namespace ssx::net
