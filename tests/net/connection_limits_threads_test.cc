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

}  // namespace
}  // namespace ssx::net
