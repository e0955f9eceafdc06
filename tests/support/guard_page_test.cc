#include "tests/support/guard_page.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <string>

namespace ssx::test {
namespace {

std::byte peek(const std::byte* from) { return *static_cast<const volatile std::byte*>(from); }

TEST(GuardedBytes, HoldsTheTextUpToItsLastByte) {
  for (const std::size_t size : {1U, 15U, 4095U, 4096U, 4097U}) {
    const std::string text(size, 'x');
    EXPECT_EQ(GuardedBytes(text).text(), text);
  }
}

TEST(GuardedBytes, MayBeEmpty) { EXPECT_EQ(GuardedBytes(0).bytes().size(), 0U); }

TEST(GuardedBytesDeathTest, OneByteBehindTheEndIsFatal) {
  GuardedBytes memory("abc");
  EXPECT_EQ(peek(memory.bytes().data() + 2), std::byte{'c'});
  EXPECT_DEATH(peek(memory.bytes().data() + 3), "");
}

TEST(GuardedBytesDeathTest, OneByteInFrontIsFatalWhenPagesAreFull) {
  GuardedBytes memory(4096 * 4);
  EXPECT_DEATH(peek(memory.bytes().data() - 1), "");
}

}  // namespace
}  // namespace ssx::test
