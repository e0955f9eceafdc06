#include "ssxrver/plugin/sdk/url_text.h"

#include <gtest/gtest.h>

namespace ssx::plugin::internal {
namespace {

TEST(PluginUrlText, DecodesForms) {
  EXPECT_EQ(decode_form("a+b%2Bc%2f"), "a b+c/");
  EXPECT_EQ(decode_form("%"), "%");
  EXPECT_EQ(decode_form("%4"), "%4");
  EXPECT_EQ(decode_form("%4g%41"), "%4gA");
}

TEST(PluginUrlText, FindsTheFirstOfAName) {
  EXPECT_EQ(find_in_form("a=1&a=2", "a"), "1");
  EXPECT_EQ(find_in_form("x=1&&%61=3", "a"), "3");
  EXPECT_EQ(find_in_form("a", "a"), "");
  EXPECT_EQ(find_in_form("a==b", "a"), "=b");
  EXPECT_EQ(find_in_form("", "a"), std::nullopt);
  EXPECT_EQ(find_in_form("aa=1&b", "a"), std::nullopt);
}

}  // namespace
}  // namespace ssx::plugin::internal
