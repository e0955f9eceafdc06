#include "ssxrver/sys/memory.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <vector>

namespace ssx::sys {
namespace {

// A hint changes no byte, also at the edges of pages and where there is no whole one.
TEST(Memory, IsAsItWasWhenItIsAboutToBeWritten) {
  std::vector<std::byte> memory(64 << 10, std::byte{7});
  for (const std::size_t begin : {0U, 1U, 4095U, 4096U}) {
    for (const std::size_t size : {0U, 1U, 4096U, 20000U})
      will_write(MutableBytes(memory).subspan(begin, size));
  }
  EXPECT_EQ(std::count(memory.begin(), memory.end(), std::byte{7}), 64 << 10);
}

}  // namespace
}  // namespace ssx::sys
