#include "ssxrver/base/bytes.h"

#include <gtest/gtest.h>

#include <array>
#include <string>

namespace ssx {
namespace {

TEST(Bytes, TextAndBytesAreTheSameMemory) {
  const std::string text("a\0\xff", 3);
  const ByteView bytes = as_bytes(text);
  EXPECT_EQ(bytes.size(), 3U);
  EXPECT_EQ(static_cast<const void*>(bytes.data()), text.data());
  EXPECT_EQ(as_text(bytes), text);
  EXPECT_TRUE(as_text(ByteView()).empty());
}

TEST(Bytes, IntegersAreInNetworkOrderAtAnyAddress) {
  std::array<std::byte, 12> memory{};
  for (std::size_t at = 0; at < 4; ++at) {
    store_big_endian<std::uint64_t>(memory.data() + at, 0x0102030405060708U);
    EXPECT_EQ(as_text(ByteView(memory).subspan(at, 8)), "\1\2\3\4\5\6\7\10");
    EXPECT_EQ(load_big_endian<std::uint64_t>(memory.data() + at), 0x0102030405060708U);
    EXPECT_EQ(load_big_endian<std::uint32_t>(memory.data() + at), 0x01020304U);
    EXPECT_EQ(load_big_endian<std::uint16_t>(memory.data() + at), 0x0102U);
    EXPECT_EQ(load_big_endian<std::uint8_t>(memory.data() + at), 0x01U);
  }
}

}  // namespace
}  // namespace ssx
