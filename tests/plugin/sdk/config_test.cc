#include "ssxrver/plugin/sdk/config.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/plugin/sdk/fake_host.h"

namespace ssx::plugin {
namespace {

using testing::ElementsAre;

template <class F>
std::string complaint(F&& read) {
  try {
    read();
  } catch (const SetupError& error) {
    return error.what();
  }
  return "none";
}

TEST(PluginConfig, GivesWhatIsThereElseTheStandard) {
  FakeHost host;
  host.config = {{"/greeting", "\"Hej\""}, {"/limit", "12"},    {"/share", "0.5"},
                 {"/loud", "\"on\""},      {"/quiet", "false"}, {"/names/0", "\"a\""},
                 {"/names/1", "\"b\""},    {"/a~1b", "\"c\""},  {"/deep/x", "3"}};
  const Config config(host.host());
  EXPECT_EQ(config.string("greeting", "Hello"), "Hej");
  EXPECT_EQ(config.string("nothing", "Hello"), "Hello");
  EXPECT_EQ(config.string("a/b", ""), "c");
  EXPECT_EQ(config.integer("limit", 1), 12);
  EXPECT_EQ(config.integer("nothing", 1), 1);
  EXPECT_EQ(config.real("share", 1), 0.5);
  EXPECT_TRUE(config.boolean("loud", false));
  EXPECT_FALSE(config.boolean("quiet", true));
  EXPECT_THAT(config.strings("names"), ElementsAre("a", "b"));
  EXPECT_EQ(config.at("deep").integer("x", 0), 3);
  EXPECT_TRUE(config.has("limit"));
  EXPECT_FALSE(config.has("limits"));
}

TEST(PluginConfig, SaysWhatIsOfAnotherKind) {
  FakeHost host;
  host.config = {{"/limit", "1.5"}, {"/name", "7"}, {"/loud", "1"}};
  const Config config(host.host());
  EXPECT_EQ(complaint([&] { (void)config.integer("limit", 1); }),
            "config/limit: 1.5; expected a whole number");
  EXPECT_EQ(complaint([&] { (void)config.string("name", ""); }), "config/name: 7; expected a text");
  EXPECT_EQ(complaint([&] { (void)config.boolean("loud", true); }),
            "config/loud: 1; expected true or false");
  EXPECT_EQ(complaint([&] { (void)config.string("must"); }),
            "config/must: missing; expected a text");
}

}  // namespace
}  // namespace ssx::plugin
