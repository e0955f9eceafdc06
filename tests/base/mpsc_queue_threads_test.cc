// Producers and the consumer at the same time; under ThreadSanitizer too.
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <thread>
#include <vector>

#include "ssxrver/base/mpsc_queue.h"
#include "ssxrver/base/spsc_ring.h"

namespace ssx {
namespace {

struct Numbered {
  std::uint32_t producer;
  std::uint32_t sequence;
};

TEST(MpscQueueThreads, LosesNothingAndKeepsEachProducersOrder) {
  constexpr std::uint32_t kProducers = 4;
  constexpr std::uint32_t kEach = 20'000;
  MpscQueue<Numbered> queue;
  std::vector<std::thread> producers;
  for (std::uint32_t producer = 0; producer < kProducers; ++producer) {
    producers.emplace_back([&queue, producer] {
      for (std::uint32_t i = 0; i < kEach; ++i) queue.push({producer, i});
    });
  }
  std::array<std::uint32_t, kProducers> next{};
  for (std::uint32_t taken = 0; taken < kProducers * kEach;) {
    const auto value = queue.pop();
    if (!value) {
      std::this_thread::yield();
      continue;
    }
    ASSERT_EQ(value->sequence, next[value->producer]++);
    ++taken;
  }
  for (std::thread& producer : producers) producer.join();
  EXPECT_FALSE(queue.pop());
}

TEST(SpscRingThreads, LosesNothingAndKeepsTheOrderThroughFullAndEmpty) {
  // Where a core is shared with another process, whoever waits may wait for a time slice.
  constexpr std::uint64_t kCount = 20'000;
  SpscRing<std::uint64_t> ring(8);
  std::thread producer([&ring] {
    for (std::uint64_t i = 0; i < kCount;) {
      std::uint64_t value = i;
      if (ring.push(std::move(value))) {
        ++i;
      } else {
        std::this_thread::yield();
      }
    }
  });
  for (std::uint64_t expected = 0; expected < kCount;) {
    const auto value = ring.pop();
    if (!value) {
      std::this_thread::yield();
      continue;
    }
    ASSERT_EQ(*value, expected++);
  }
  producer.join();
  EXPECT_TRUE(ring.empty());
}

}  // namespace
}  // namespace ssx
