#include "ssxrver/log/buffer_queue.h"

#include <gtest/gtest.h>

#include <array>
#include <cstring>

#include "ssxrver/log/thread_ring.h"

namespace ssx::log {
namespace {

constexpr std::uint32_t kArguments = 1024 - sizeof(RecordHeader);  // so that a record is 1 KiB
constexpr std::size_t kPerBuffer = BufferQueue::kBlock / 1024;

struct Record {
  RecordHeader header{};
  std::array<std::byte, kArguments> arguments{};
};

bool add(BufferQueue& queue, std::uint64_t number) {
  static Record record;
  record.header.stamp = number;
  record.header.bytes = kArguments;
  record.arguments.fill(static_cast<std::byte>(number));
  return queue.add(record.header);
}

std::size_t fill(BufferQueue& queue) {
  std::size_t count = 0;
  while (add(queue, count)) ++count;
  return count;
}

TEST(BufferQueue, GivesBackWhatWasAddedOverSeveralBuffers) {
  BufferQueue queue(4);
  EXPECT_TRUE(queue.empty());
  EXPECT_EQ(fill(queue), 4 * kPerBuffer);
  for (std::size_t i = 0; i < 4 * kPerBuffer; ++i) {
    ASSERT_FALSE(queue.empty());
    ASSERT_EQ(queue.front().stamp, i);
    const auto* const arguments = reinterpret_cast<const std::byte*>(&queue.front() + 1);
    ASSERT_EQ(arguments[kArguments - 1], static_cast<std::byte>(i));
    queue.pop();
  }
  EXPECT_TRUE(queue.empty());
}

TEST(BufferQueue, HasRoomAgainBufferByBuffer) {
  BufferQueue queue(2);
  fill(queue);
  for (std::size_t i = 0; i + 1 < kPerBuffer; ++i) queue.pop();
  EXPECT_FALSE(add(queue, 1));
  queue.pop();
  EXPECT_TRUE(add(queue, 1));
}

TEST(BufferQueue, DropsTheOldestBufferAndCountsItsLines) {
  BufferQueue queue(2);
  fill(queue);
  queue.pop();
  EXPECT_EQ(queue.drop_oldest(), kPerBuffer - 1);
  EXPECT_EQ(queue.front().stamp, kPerBuffer);
  EXPECT_EQ(queue.drop_oldest(), 0U);  // the one that is being filled stays
  EXPECT_EQ(queue.front().stamp, kPerBuffer);
}

TEST(BufferQueue, GoesRoundManyTimes) {
  BufferQueue queue(3);
  std::uint64_t added = 0;
  std::uint64_t taken = 0;
  for (std::size_t round = 0; round < 20; ++round) {
    while (add(queue, added)) ++added;
    for (std::size_t i = 0; i < kPerBuffer + 17 * round; ++i) {
      if (queue.empty()) break;
      ASSERT_EQ(queue.front().stamp, taken++);
      queue.pop();
    }
  }
  EXPECT_GT(taken, 5 * kPerBuffer);
}

TEST(BufferQueue, VisitsWhatWaits) {
  BufferQueue queue(3);
  for (std::uint64_t i = 0; i < kPerBuffer + 5; ++i) ASSERT_TRUE(add(queue, i));
  queue.pop();
  std::uint64_t next = 1;
  queue.for_each([&next](const RecordHeader& record) { EXPECT_EQ(record.stamp, next++); });
  EXPECT_EQ(next, kPerBuffer + 5);
}

}  // namespace
}  // namespace ssx::log
