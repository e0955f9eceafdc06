#include "ssxrver/config/facts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ssx::config {
namespace {

using ::testing::ElementsAre;

Facts named(const char* name, std::vector<Facts> children = {}) {
  Facts facts;
  facts.name = name;
  facts.children = std::move(children);
  return facts;
}

TEST(Facts, FindTheHomesOfAKey) {
  Facts list = named("list", {named("inside")});
  list.is_list = true;
  Facts map = named("map", {named("inside")});
  map.is_map = true;
  const Facts http = named("http", {named("size"), named("deep", {named("size")})});
  const Facts root = named("", {named("top"), http, list, map});
  EXPECT_THAT(homes_of(root, "top"), ElementsAre(""));
  EXPECT_THAT(homes_of(root, "size"), ElementsAre("/http", "/http/deep"));
  EXPECT_THAT(homes_of(root, "inside"), ElementsAre());
  EXPECT_THAT(homes_of(root, "nowhere"), ElementsAre());
}

TEST(Facts, RangeHoldsItsEndsAndTheSpecialNumber) {
  const Range range{.min = 1, .max = 10, .special = -1};
  EXPECT_FALSE(range.holds(0));
  EXPECT_TRUE(range.holds(1));
  EXPECT_TRUE(range.holds(10));
  EXPECT_FALSE(range.holds(11));
  EXPECT_TRUE(range.holds(-1));
  EXPECT_FALSE(range.holds(-2));
}

TEST(Facts, NameTheReloadClasses) {
  EXPECT_STREQ(to_text(Reload::kLive), "live");
  EXPECT_STREQ(to_text(Reload::kNewConnections), "new connections");
  EXPECT_STREQ(to_text(Reload::kRestart), "restart");
}

}  // namespace
}  // namespace ssx::config
