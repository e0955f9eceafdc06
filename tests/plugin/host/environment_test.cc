#include "ssxrver/plugin/host/environment.h"

#include <string>

#include "tests/plugin/host/plugin_fixture.h"

namespace ssx::plugins {
namespace {

using PluginEnvironment = test::PluginTest;

TEST_F(PluginEnvironment, KeepsANameWhereItIs) {
  const std::string name = "notes";
  const auto kept = environment.keep_name(name);
  ASSERT_TRUE(kept);
  EXPECT_NE(kept->data(), name.data());
  EXPECT_EQ(environment.keep_name(std::string("notes"))->data(), kept->data());
}

TEST_F(PluginEnvironment, KeepsNoMoreNamesThanItsBound) {
  for (std::size_t i = 0; i + 1 < Environment::kNamesMax; ++i)
    ASSERT_TRUE(environment.keep_name(std::to_string(i)));
  EXPECT_TRUE(environment.keep_name("the last"));
  EXPECT_FALSE(environment.keep_name("one more"));
  EXPECT_TRUE(environment.keep_name("0"));
  EXPECT_EQ(make().error(), "plugin \"fake\": too many different names");
}

TEST_F(PluginEnvironment, KnowsNoLoopBeforeItIsOpened) {
  EXPECT_EQ(environment.loop(0), nullptr);
  EXPECT_EQ(environment.current_worker(), std::nullopt);
}

TEST_F(PluginEnvironment, KnowsItsLoopsThen) {
  serve();
  ASSERT_NE(environment.loop(1), nullptr);
  EXPECT_EQ(environment.loop(1)->index, 1U);
  EXPECT_EQ(environment.loop(2), nullptr);
  EXPECT_EQ(environment.current_worker(), std::nullopt) << "this is no loop";
  on_loop([this] { EXPECT_EQ(environment.current_worker(), 1U); }, 1);
}

TEST_F(PluginEnvironment, ReadsOptionsOfRoutesWithTheFunctionItWasGiven) {
  EXPECT_TRUE(environment.socket_options(""));
  EXPECT_FALSE(environment.socket_options("{}"));
  const auto read = [](std::string_view json) -> Expected<WebSocketRouteOptions, std::string> {
    WebSocketRouteOptions options;
    options.limits.message_max = json.size();
    return options;
  };
  const Environment other(*app, {.socket_options = read});
  EXPECT_EQ(other.socket_options("{}")->limits.message_max, 2U);
}

}  // namespace
}  // namespace ssx::plugins
