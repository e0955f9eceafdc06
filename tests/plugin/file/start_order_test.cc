#include "ssxrver/plugin/file/start_order.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ssx {
namespace {

using ::testing::ElementsAre;

PluginOptions plugin(std::string name, std::vector<std::string> depends, bool enabled = true) {
  PluginOptions options;
  options.name = std::move(name);
  options.depends = std::move(depends);
  options.enabled = enabled;
  return options;
}

TEST(PluginStartOrder, IsThatOfTheFileWhereNothingElseIsAsked) {
  EXPECT_THAT(plugin_start_order({}).value(), ElementsAre());
  EXPECT_THAT(plugin_start_order({plugin("b", {}), plugin("a", {})}).value(), ElementsAre(0, 1));
}

TEST(PluginStartOrder, PutsEachBehindWhatItDependsOn) {
  EXPECT_THAT(
      plugin_start_order({plugin("a", {"b", "c"}), plugin("b", {"c"}), plugin("c", {})}).value(),
      ElementsAre(2, 1, 0));
  EXPECT_THAT(plugin_start_order({plugin("a", {"c"}), plugin("b", {"c"}), plugin("c", {})}).value(),
              ElementsAre(2, 0, 1));
}

TEST(PluginStartOrder, LeavesOutWhatIsOff) {
  EXPECT_THAT(plugin_start_order({plugin("a", {}, false), plugin("b", {"x"})}).value(),
              ElementsAre(1));
}

TEST(PluginStartOrder, SpellsARing) {
  const auto self = plugin_start_order({plugin("x", {}), plugin("a", {"a"})});
  ASSERT_FALSE(self);
  EXPECT_EQ(self.error().text, "a -> a");
  EXPECT_EQ(self.error().first, 1U);
  const auto ring = plugin_start_order(
      {plugin("z", {"a"}), plugin("a", {"b"}), plugin("b", {"c"}), plugin("c", {"a"})});
  ASSERT_FALSE(ring);
  EXPECT_EQ(ring.error().text, "a -> b -> c -> a");
  EXPECT_EQ(ring.error().first, 1U);
}

TEST(PluginStartOrder, TakesAsManyAsThereMayBe) {
  std::vector<PluginOptions> chain;
  for (std::size_t i = 0; i < PluginOptions::kPluginsMax; ++i) {
    chain.push_back(plugin("p" + std::to_string(i), {"p" + std::to_string(i + 1)}));
  }
  const auto order = plugin_start_order(chain);
  ASSERT_TRUE(order);
  EXPECT_EQ(order->front(), PluginOptions::kPluginsMax - 1);
  EXPECT_EQ(order->back(), 0U);
}

}  // namespace
}  // namespace ssx
