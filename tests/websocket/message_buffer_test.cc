#include "websocket/message_buffer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

namespace ssx::websocket {
namespace {

TEST(MessageBuffer, HoldsWhatIsAppended) {
  MessageBuffer buffer;
  EXPECT_TRUE(buffer.empty());
  EXPECT_EQ(buffer.text(), "");
  buffer.append({});
  buffer.append(as_bytes("one "));
  const MutableBytes room = buffer.room(10);
  std::fill_n(room.begin(), 3, std::byte{'2'});
  buffer.commit(3);
  EXPECT_EQ(buffer.text(), "one 222");
  buffer.assign("three");
  EXPECT_EQ(buffer.text(), "three");
}

TEST(MessageBuffer, ReservesAtMostTwiceWhatItNeeds) {
  MessageBuffer buffer;
  buffer.reserve(1000);
  EXPECT_EQ(buffer.capacity(), 1000U);
  buffer.append(as_bytes(std::string(1001, 'x')));
  EXPECT_EQ(buffer.capacity(), 2000U);
  buffer.append(as_bytes(std::string(5000, 'x')));
  EXPECT_EQ(buffer.capacity(), 6001U);
  buffer.clear();
  EXPECT_EQ(buffer.capacity(), 6001U);
}

TEST(MessageBuffer, ReservesNoMoreThanAMessageMayHave) {
  MessageBuffer buffer;
  buffer.reserve(1000);
  buffer.bound(1500);
  buffer.append(as_bytes(std::string(1001, 'x')));
  EXPECT_EQ(buffer.capacity(), 1500U);
  buffer.append(as_bytes(std::string(500, 'x')));
  EXPECT_EQ(buffer.capacity(), 1501U) << "what is asked for has to have room";
}

TEST(MessageBuffer, SwapsItsMemory) {
  MessageBuffer large;
  large.reserve(1000);
  large.append(as_bytes("one"));
  MessageBuffer none;
  none.swap(large);
  EXPECT_EQ(none.text(), "one");
  EXPECT_EQ(none.capacity(), 1000U);
  EXPECT_EQ(large.text(), "");
  EXPECT_EQ(large.capacity(), 0U);
}

// Over the sizes at which pages are made ahead, in pieces that end anywhere.
TEST(MessageBuffer, KeepsEveryByteOfALargeMessage) {
  std::string expected;
  MessageBuffer buffer;
  for (int i = 0; expected.size() < 3 * MessageBuffer::kLarge; ++i) {
    const std::string piece(static_cast<std::size_t>(1 + i * 7919 % 150000),
                            static_cast<char>('a' + i % 26));
    buffer.append(as_bytes(piece));
    expected += piece;
  }
  EXPECT_TRUE(buffer.text() == expected);
}

// From kPastCaches on: each place in a line of the cache, less than a line and several.
TEST(MessageBuffer, KeepsEveryByteThatIsStoredPastTheCaches) {
  constexpr std::size_t kLine = 64;
  std::string expected(MessageBuffer::kPastCaches - 1, 'x');
  MessageBuffer buffer;
  buffer.append(as_bytes(expected));
  for (std::size_t size = 1; size <= 4 * kLine + 1; ++size) {
    std::string piece(size, '\0');
    for (std::size_t i = 0; i < size; ++i) piece[i] = static_cast<char>(size * 31 + i * 7);
    buffer.append(as_bytes(piece));
    expected += piece;
  }
  EXPECT_TRUE(buffer.text() == expected);
}

}  // namespace
}  // namespace ssx::websocket
