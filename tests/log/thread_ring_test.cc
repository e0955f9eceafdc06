#include "ssxrver/log/thread_ring.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace ssx::log {
namespace {

constexpr Site kSite{.file = "f.cc",
                     .module = "m",
                     .format = "",
                     .types = nullptr,
                     .format_size = 0,
                     .line = 1,
                     .module_size = 1,
                     .arguments = 0,
                     .level = Level::kInfo};

/// Both owners.
class Ring {
 public:
  explicit Ring(std::size_t capacity) : ring_(ThreadRing::create(capacity, 7, 4711)) {}
  ~Ring() {
    ring_->leave_as_producer();
    ring_->leave();
  }
  ThreadRing* operator->() const { return ring_; }
  ThreadRing& operator*() const { return *ring_; }

  /// A record whose arguments are `bytes` times its own number.
  bool push(std::uint32_t bytes, std::uint64_t number) const {
    const Slot slot = ring_->reserve(kSite, bytes, {}, number);
    if (slot.arguments == nullptr) return false;
    std::memset(slot.arguments, static_cast<int>(number & 0xFF), bytes);
    slot.tail->store(slot.next, std::memory_order_release);
    return true;
  }

 private:
  ThreadRing* ring_;
};

bool holds(const RecordHeader& record, std::uint64_t number) {
  const auto* const bytes = reinterpret_cast<const unsigned char*>(&record + 1);
  for (std::uint32_t i = 0; i < record.bytes; ++i) {
    if (bytes[i] != (number & 0xFF)) return false;
  }
  return record.stamp == number && record.site == &kSite && record.thread == 4711;
}

TEST(ThreadRing, GivesRecordsBackInOrder) {
  const Ring ring(1024);
  EXPECT_EQ(ring->front(), nullptr);
  ASSERT_TRUE(ring.push(5, 1));
  ASSERT_TRUE(ring.push(0, 2));
  ASSERT_NE(ring->front(), nullptr);
  EXPECT_TRUE(holds(*ring->front(), 1));
  ring->pop();
  EXPECT_TRUE(holds(*ring->front(), 2));
  ring->pop();
  EXPECT_EQ(ring->front(), nullptr);
}

TEST(ThreadRing, ARecordIsSeenOnlyWhenItIsPublished) {
  const Ring ring(1024);
  const Slot slot = ring->reserve(kSite, 8, {}, 1);
  EXPECT_EQ(ring->front(), nullptr);
  slot.tail->store(slot.next, std::memory_order_release);
  EXPECT_NE(ring->front(), nullptr);
}

TEST(ThreadRing, FillsUpToTheLastByteAndNoFurther) {
  const Ring ring(1024);  // 16 records of 64 bytes
  for (std::uint64_t i = 0; i < 16; ++i) ASSERT_TRUE(ring.push(32, i));
  EXPECT_FALSE(ring.push(0, 99));
  ASSERT_NE(ring->front(), nullptr);
  ring->pop();
  EXPECT_TRUE(ring.push(32, 16));
  EXPECT_FALSE(ring.push(0, 99));
}

TEST(ThreadRing, RecordsOfEverySizeSurviveTheWrap) {
  const Ring ring(512);
  std::uint64_t pushed = 0;
  std::uint64_t popped = 0;
  for (std::uint32_t round = 0; round < 2000; ++round) {
    while (ring.push((round * 7 + static_cast<std::uint32_t>(pushed)) % 180, pushed)) ++pushed;
    while (const RecordHeader* const record = ring->front()) {
      ASSERT_TRUE(holds(*record, popped));
      ++popped;
      ring->pop();
      if (popped % 3 == 0) break;
    }
  }
  EXPECT_GT(popped, 2000U);
}

TEST(ThreadRing, HoldsWhatIsAtMostHalfOfIt) {
  const Ring ring(1024);
  EXPECT_TRUE(ring->holds(512 - sizeof(RecordHeader)));
  EXPECT_FALSE(ring->holds(512 - sizeof(RecordHeader) + 1));
}

TEST(ThreadRing, CapacityIsRoundedUp) {
  const Ring ring(1000);
  EXPECT_TRUE(ring->holds(512 - sizeof(RecordHeader)));
}

TEST(ThreadRing, SaysWhenHalfOfItIsTaken) {
  const Ring ring(1024);
  Slot slot;
  for (std::uint64_t i = 0; i < 8; ++i) {
    slot = ring->reserve(kSite, 32, {}, i);
    slot.tail->store(slot.next, std::memory_order_release);
    EXPECT_FALSE(ring->filling(slot));
  }
  slot = ring->reserve(kSite, 32, {}, 8);
  EXPECT_TRUE(ring->filling(slot));
  ASSERT_NE(ring->front(), nullptr);
  ring->pop();
  EXPECT_FALSE(ring->filling(slot));  // looks again before it says so
}

TEST(ThreadRing, CountsLostLinesOnce) {
  const Ring ring(1024);
  ring->count_lost();
  ring->count_lost();
  EXPECT_EQ(ring->take_lost(), 2U);
  EXPECT_EQ(ring->take_lost(), 0U);
}

TEST(ThreadRing, CrashHandlerSeesWhatWasNotPopped) {
  const Ring ring(1024);
  for (std::uint64_t i = 0; i < 3; ++i) ASSERT_TRUE(ring.push(8, i));
  ASSERT_NE(ring->front(), nullptr);
  ring->pop();
  std::uint64_t position = ring->head_for_crash();
  for (std::uint64_t i = 1; i < 3; ++i) {
    const RecordHeader* const record = ring->next_for_crash(position);
    ASSERT_NE(record, nullptr);
    EXPECT_TRUE(holds(*record, i));
  }
  EXPECT_EQ(ring->next_for_crash(position), nullptr);
}

TEST(ThreadRing, TwoThreadsLoseNothing) {
  const Ring ring(4096);
  constexpr std::uint64_t kRecords = 100'000;
  std::thread producer([&ring] {
    for (std::uint64_t i = 0; i < kRecords;) {
      if (ring.push(static_cast<std::uint32_t>(i % 100), i)) {
        ++i;
      } else {
        std::this_thread::yield();
      }
    }
  });
  for (std::uint64_t i = 0; i < kRecords;) {
    const RecordHeader* const record = ring->front();
    if (record == nullptr) {
      std::this_thread::yield();
      continue;
    }
    ASSERT_TRUE(holds(*record, i));
    ring->pop();
    ++i;
  }
  producer.join();
}

TEST(RingList, RemovesFromEveryPlace) {
  RingList list;
  std::vector<ThreadRing*> rings;
  for (int i = 0; i < 4; ++i) {
    rings.push_back(ThreadRing::create(64, 1, 1));
    list.add(*rings.back());
  }
  const auto count = [&list] {
    int rings_left = 0;
    for (ThreadRing* ring = list.first(); ring != nullptr; ring = ring->next_in_list) ++rings_left;
    return rings_left;
  };
  EXPECT_EQ(count(), 4);
  for (const std::size_t victim : {1U, 3U, 0U, 2U}) {
    const int before = count();
    list.remove(*rings[victim]);
    EXPECT_EQ(count(), before - 1);
  }
  for (ThreadRing* ring : rings) {
    ring->leave_as_producer();
    ring->leave();
  }
}

TEST(RingList, TakesRingsFromManyThreadsWhileOneRemoves) {
  RingList list;
  constexpr int kRings = 2000;
  std::vector<std::thread> threads;
  for (int t = 0; t < 2; ++t) {
    threads.emplace_back([&list] {
      for (int i = 0; i < kRings / 2; ++i) {
        ThreadRing* const ring = ThreadRing::create(64, 1, 1);
        list.add(*ring);
        ring->leave_as_producer();
      }
    });
  }
  for (int removed = 0; removed < kRings;) {
    for (ThreadRing* ring = list.first(); ring != nullptr;) {
      ThreadRing* const next = ring->next_in_list;
      if (ring->closed()) {
        list.remove(*ring);
        ring->leave();
        ++removed;
      }
      ring = next;
    }
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(list.first(), nullptr);
}

}  // namespace
}  // namespace ssx::log
