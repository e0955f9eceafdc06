#include "ssxrver/base/in_buffer.h"

#include <gtest/gtest.h>

#include <limits>
#include <random>
#include <string>
#include <utility>

namespace ssx {
namespace {

/// Appends as a read does: into the room that prepare() gives.
void read_into(InBuffer& buffer, std::string_view text) {
  const auto room = buffer.prepare(text.size());
  ASSERT_TRUE(room.has_value());
  ASSERT_GE(room->size(), text.size());
  std::ranges::copy(as_bytes(text), room->begin());
  buffer.commit(text.size());
}

TEST(InBuffer, OwnsNothingUntilItIsUsed) {
  InBuffer buffer;
  EXPECT_EQ(buffer.capacity(), 0U);
  EXPECT_TRUE(buffer.empty());
  EXPECT_EQ(buffer.text(), "");
  EXPECT_FALSE(buffer.find_crlf());
  EXPECT_FALSE(buffer.read_integer<std::uint8_t>());
  buffer.consume(0);
  buffer.clear();
  EXPECT_EQ(buffer.capacity(), 0U);
}

TEST(InBuffer, GivesBackWhatWasAppendedInOrder) {
  InBuffer buffer;
  read_into(buffer, "abc");
  ASSERT_TRUE(buffer.append("def"));
  EXPECT_EQ(buffer.text(), "abcdef");
  buffer.consume(2);
  EXPECT_EQ(buffer.text(), "cdef");
  buffer.consume(4);
  EXPECT_TRUE(buffer.empty());
}

TEST(InBuffer, ReusesItsMemoryWhenItIsEmptied) {
  InBuffer buffer(64);
  const std::size_t capacity = buffer.capacity();
  for (int i = 0; i < 100; ++i) {
    read_into(buffer, std::string(60, 'x'));
    buffer.consume(60);
  }
  EXPECT_EQ(buffer.capacity(), capacity);
}

TEST(InBuffer, MovesToTheFrontBeforeItGrows) {
  InBuffer buffer(16);
  read_into(buffer, "0123456789abcdef");
  buffer.consume(10);
  const std::size_t capacity = buffer.capacity();
  read_into(buffer, "ghijklmnop");
  EXPECT_EQ(buffer.text(), "abcdefghijklmnop");
  EXPECT_EQ(buffer.capacity(), capacity);
  read_into(buffer, "q");
  EXPECT_EQ(buffer.text(), "abcdefghijklmnopq");
  EXPECT_GT(buffer.capacity(), capacity);
}

TEST(InBuffer, TheLimitIsTheMostItHolds) {
  for (const std::size_t size : {99U, 100U, 101U}) {
    InBuffer buffer(0, 100);
    const auto appended = buffer.append(std::string(size, 'x'));
    EXPECT_EQ(appended.has_value(), size <= 100) << size;
    if (!appended) {
      EXPECT_TRUE(appended.error() == make_error_code(Errc::kOverflow));
    }
    EXPECT_EQ(buffer.size(), size <= 100 ? size : 0);
  }
}

TEST(InBuffer, TheLimitHoldsWhenBytesComeInPieces) {
  InBuffer buffer(0, 100);
  for (int i = 0; i < 100; ++i) ASSERT_TRUE(buffer.append("x"));
  EXPECT_FALSE(buffer.append("x"));
  EXPECT_FALSE(buffer.prepare(1));
  EXPECT_TRUE(buffer.prepare(0));
  EXPECT_FALSE(buffer.prepare(SIZE_MAX));  // no overflow on the way
  buffer.consume(1);
  EXPECT_TRUE(buffer.append("y"));
  EXPECT_EQ(buffer.size(), 100U);
}

TEST(InBuffer, PrependsUpToTheRoomInFrontAndNotPastTheLimit) {
  InBuffer buffer(0, 20);
  ASSERT_TRUE(buffer.append("body"));
  EXPECT_EQ(buffer.prependable(), InBuffer::kPrependable);
  ASSERT_TRUE(buffer.prepend(as_bytes("12345678")));
  EXPECT_EQ(buffer.text(), "12345678body");
  EXPECT_FALSE(buffer.prepend(as_bytes("9")));
  EXPECT_TRUE(buffer.prepend({}));
  EXPECT_EQ(buffer.text(), "12345678body");

  InBuffer tight(0, 4);
  ASSERT_TRUE(tight.append("abc"));
  EXPECT_TRUE(tight.prepend(as_bytes("1")));
  EXPECT_FALSE(tight.prepend(as_bytes("2")));
  EXPECT_EQ(tight.text(), "1abc");
}

TEST(InBuffer, PrependsToAnEmptyOneToo) {
  InBuffer buffer;
  ASSERT_TRUE(buffer.prepend(as_bytes("ab")));
  EXPECT_EQ(buffer.text(), "ab");
}

TEST(InBuffer, IntegersTravelInNetworkOrder) {
  InBuffer buffer;
  ASSERT_TRUE(buffer.append_integer<std::uint16_t>(0x6162));
  ASSERT_TRUE(buffer.append_integer<std::int32_t>(-2));
  ASSERT_TRUE(buffer.prepend_integer<std::uint8_t>('!'));
  EXPECT_EQ(buffer.text(), "!ab\xff\xff\xff\xfe");
  EXPECT_EQ(buffer.peek_integer<std::uint8_t>(), '!');
  EXPECT_EQ(buffer.read_integer<std::uint8_t>(), '!');
  EXPECT_EQ(buffer.read_integer<std::int16_t>(), 0x6162);
  EXPECT_FALSE(buffer.peek_integer<std::int64_t>());
  EXPECT_EQ(buffer.size(), 4U);
  EXPECT_EQ(buffer.read_integer<std::int32_t>(), -2);
  EXPECT_TRUE(buffer.empty());
}

template <class T>
void round_trips(T value) {
  InBuffer buffer;
  ASSERT_TRUE(buffer.append_integer(value));
  EXPECT_EQ(buffer.size(), sizeof(T));
  EXPECT_EQ(buffer.read_integer<T>(), value);
}

TEST(InBuffer, EveryIntegerTypeSurvivesAtItsEnds) {
  round_trips(std::numeric_limits<std::int8_t>::min());
  round_trips(std::numeric_limits<std::uint8_t>::max());
  round_trips(std::numeric_limits<std::int16_t>::min());
  round_trips(std::numeric_limits<std::uint16_t>::max());
  round_trips(std::numeric_limits<std::int32_t>::min());
  round_trips(std::numeric_limits<std::uint32_t>::max());
  round_trips(std::numeric_limits<std::int64_t>::min());
  round_trips(std::numeric_limits<std::uint64_t>::max());
}

TEST(InBuffer, FindsLineEnds) {
  InBuffer buffer;
  ASSERT_TRUE(buffer.append("a\rb\nc\r"));
  EXPECT_EQ(buffer.find_eol(), 3U);
  EXPECT_FALSE(buffer.find_crlf());
  ASSERT_TRUE(buffer.append("\n"));  // the pair came in two pieces
  EXPECT_EQ(buffer.find_crlf(), 5U);
  buffer.consume(5);
  EXPECT_EQ(buffer.find_crlf(), 0U);
}

TEST(InBuffer, KnowsBytesThatLieInIt) {
  InBuffer buffer(100);
  const std::string other(100, 'x');
  ASSERT_TRUE(buffer.append(std::string_view(other).substr(0, 50)));
  const ByteView bytes = buffer.readable();
  EXPECT_TRUE(buffer.has(bytes));
  EXPECT_TRUE(buffer.has(bytes.subspan(49)));
  buffer.consume(50);
  EXPECT_TRUE(buffer.has(bytes)) << "they are there until something is read";
  EXPECT_FALSE(buffer.has(as_bytes(other)));
  EXPECT_FALSE(buffer.has({bytes.data(), buffer.capacity() + 1}));
  EXPECT_FALSE(buffer.has({bytes.data() - buffer.capacity(), 1}));
  EXPECT_FALSE(InBuffer().has(as_bytes(other)));
}

TEST(InBuffer, ShrinkGivesBackWhatIsNotReadable) {
  InBuffer buffer(4096);
  ASSERT_TRUE(buffer.append("kept"));
  buffer.shrink();
  EXPECT_EQ(buffer.text(), "kept");
  EXPECT_EQ(buffer.capacity(), InBuffer::kPrependable + 4);
  buffer.consume(4);
  buffer.shrink();
  EXPECT_EQ(buffer.capacity(), 0U);
  ASSERT_TRUE(buffer.append("again"));
  EXPECT_EQ(buffer.text(), "again");
}

TEST(InBuffer, MovesAndSwaps) {
  InBuffer a(0, 10);
  ASSERT_TRUE(a.append("a"));
  InBuffer b(std::move(a));
  EXPECT_EQ(b.text(), "a");
  EXPECT_EQ(b.limit(), 10U);
  InBuffer c;
  ASSERT_TRUE(c.append("c"));
  c = std::move(b);
  EXPECT_EQ(c.text(), "a");
  EXPECT_EQ(c.limit(), 10U);
  InBuffer d;
  d.swap(c);
  EXPECT_EQ(d.text(), "a");
  EXPECT_TRUE(c.empty());
}

TEST(InBuffer, BehavesLikeAStringUnderRandomWork) {
  std::mt19937 random(7);
  InBuffer buffer(0, 5000);
  std::string model;
  for (int step = 0; step < 20'000; ++step) {
    const std::size_t size = random() % 300;
    switch (random() % 5) {
      case 0:
      case 1: {
        const std::string bytes(size, static_cast<char>('a' + step % 26));
        const bool fits = model.size() + size <= 5000;
        ASSERT_EQ(buffer.append(bytes).has_value(), fits || size == 0);
        if (fits) model += bytes;
        break;
      }
      case 2: {
        const std::size_t count = std::min(size, model.size());
        buffer.consume(count);
        model.erase(0, count);
        break;
      }
      case 3: {
        const std::string bytes(size % 10, '<');
        const bool fits = bytes.size() <= buffer.prependable() || buffer.capacity() == 0;
        const bool within = model.size() + bytes.size() <= 5000;
        ASSERT_EQ(buffer.prepend(as_bytes(bytes)).has_value(), bytes.empty() || (fits && within));
        if (fits && within) model.insert(0, bytes);
        break;
      }
      default:
        if (size < 3) buffer.shrink();
    }
    ASSERT_EQ(buffer.text(), model) << step;
    ASSERT_LE(buffer.capacity(), InBuffer::kPrependable + 5000);
  }
}

TEST(InBufferDeathTest, TakingMoreThanThereIsStopsAReleaseBuildToo) {
  InBuffer buffer;
  ASSERT_TRUE(buffer.append("ab"));
  EXPECT_DEATH(buffer.consume(3), "assertion failed");
  EXPECT_DEATH(buffer.commit(buffer.writable() + 1), "assertion failed");
}

}  // namespace
}  // namespace ssx
