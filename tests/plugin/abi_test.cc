#include "ssxrver/plugin/abi.h"

#include <gtest/gtest.h>

#include <cstring>
#include <type_traits>

namespace {

// What crosses the border is copied byte by byte, by compilers that know nothing of each other.
static_assert(std::is_standard_layout_v<ssxrver_host> && std::is_trivial_v<ssxrver_host>);
static_assert(std::is_standard_layout_v<ssxrver_plugin_desc>);
static_assert(std::is_trivial_v<ssxrver_response> && std::is_trivial_v<ssxrver_value>);

extern "C" std::uint32_t ssxrver_abi_major_in_c();
extern "C" std::size_t ssxrver_host_size_in_c();

TEST(PluginAbi, MagicSpellsItsName) {
  const std::uint64_t magic = SSXRVER_PLUGIN_MAGIC;
  char text[sizeof(magic)] = {};
  std::memcpy(text, &magic, sizeof(magic));
  EXPECT_STREQ(text, "SXVRNX1");
}

TEST(PluginAbi, IsTheSameInCAndInCpp) {
  EXPECT_EQ(ssxrver_abi_major_in_c(), SSXRVER_ABI_MAJOR);
  EXPECT_EQ(ssxrver_host_size_in_c(), sizeof(ssxrver_host));
}

}  // namespace
