#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ssxrver/config/tables.h"

namespace ssx::config {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::vector<std::string> problems(const std::string& text) {
  const auto config = ServerConfig::parse(text, {}, "t");
  return config ? std::vector<std::string>() : config.error().sentences();
}

TEST(PluginTables, ReadAPlugin) {
  const auto config = ServerConfig::parse(R"({
    "plugin_defaults": {"reload": "watch", "drain_timeout": "5s", "search_path": ["p"]},
    "plugins": [{"name": "chat", "library": "lib/chat.so", "mount": "/api", "config": {"x": 1}},
                {"name": "notes", "reload": "off", "drain_timeout": "1m", "enabled": "off"}]})");
  ASSERT_TRUE(config) << config.error().text();
  ASSERT_EQ(config->plugins.size(), 2U);
  const PluginOptions& chat = config->plugins[0];
  EXPECT_EQ(chat.file(), "lib/chat.so");
  EXPECT_EQ(chat.mount, "/api");
  EXPECT_TRUE(chat.enabled);
  EXPECT_EQ(chat.reload, PluginReload::kWatch);
  EXPECT_EQ(chat.drain_timeout, std::chrono::seconds(5));
  EXPECT_EQ(json::write(chat.config, json::kCompact), R"({"x":1})");
  const PluginOptions& notes = config->plugins[1];
  EXPECT_EQ(notes.file(), "notes.so");
  EXPECT_EQ(notes.mount, "/");
  EXPECT_FALSE(notes.enabled);
  EXPECT_EQ(notes.reload, PluginReload::kOff);
  EXPECT_EQ(notes.drain_timeout, std::chrono::minutes(1));
  EXPECT_THAT(config->plugin_defaults.search_path, ElementsAre("p"));
}

TEST(PluginTables, InheritWhereverTheDefaultsStand) {
  const auto config = ServerConfig::parse(
      R"({"plugins": [{"name": "a"}], "plugin_defaults": {"drain_timeout": "7s"}})");
  ASSERT_TRUE(config);
  EXPECT_EQ(config->plugins[0].drain_timeout, std::chrono::seconds(7));
}

TEST(PluginTables, MakePathsAbsolute) {
  auto config =
      ServerConfig::parse(R"({"plugins": [{"name": "a"}, {"name": "b", "library": "./b.so"}]})");
  ASSERT_TRUE(config);
  config->make_paths_absolute("/srv");
  EXPECT_EQ(config->plugins[0].file(), "a.so");
  EXPECT_EQ(config->plugins[1].file(), "/srv/./b.so");
  EXPECT_THAT(config->plugin_defaults.search_path,
              ElementsAre("/usr/lib/ssxrver/plugins", "/srv/./plugins"));
}

TEST(PluginTables, KnowWhereEachValueStood) {
  const auto config =
      ServerConfig::parse("{\"plugins\": [{\"name\": \"a\",\n  \"config\": {\"x\": 1}}]}", {}, "t");
  ASSERT_TRUE(config);
  EXPECT_EQ(config->place(config->plugins[0].config.find("x")->origin), "t:2:19");
  EXPECT_EQ(ServerConfig().place({}), "");
}

TEST(PluginTables, RefuseWhatCannotBe) {
  EXPECT_THAT(problems(R"({"plugins": [{}, {"name": "Chat"}, {"name": "a", "sha256": "abc"},
      {"name": "b", "mount": "api"}, {"name": "c", "mount": "/x/"}, {"name": "d", "config": 1}]})"),
              ElementsAre("t:1:14: /plugins/0: a plugin needs the key \"name\"",
                          HasSubstr("/plugins/1/name: expected a name such as \"chat\""),
                          HasSubstr("/plugins/2/sha256: expected 64 hex digits"),
                          HasSubstr("/plugins/3/mount: expected a path such as"),
                          HasSubstr("/plugins/4/mount: expected a path such as"),
                          HasSubstr("/plugins/5/config: expected an object")));
  for (const char* mount : {"", "//", "/a//b", "/a*", "/{a}", "/a?b", "/a#"}) {
    EXPECT_THAT(problems(R"({"plugins": [{"name": "a", "mount": ")" + std::string(mount) + "\"}]}"),
                ElementsAre(HasSubstr("/plugins/0/mount")))
        << mount;
  }
}

TEST(PluginTables, RefuseNamesThatOccurTwice) {
  EXPECT_THAT(problems(R"({"plugins": [{"name": "a"}, {"name": "b"}, {"name": "a"}]})"),
              ElementsAre("t:1:53: /plugins/2/name: \"a\" is there already"));
}

TEST(PluginTables, RefuseWhatDependsOnNothing) {
  EXPECT_THAT(problems(R"({"plugins": [{"name": "notes", "depends": ["caht"]}, {"name": "chat"},
      {"name": "x", "depends": ["zebra"]}, {"name": "y", "depends": ["off"]},
      {"name": "off", "enabled": false}, {"name": "z", "enabled": false, "depends": ["off"]}]})"),
              ElementsAre(HasSubstr("/plugins/0/depends: there is no plugin \"caht\"; did you mean "
                                    "\"chat\"?"),
                          HasSubstr("/plugins/2/depends: there is no plugin \"zebra\""),
                          HasSubstr("/plugins/3/depends: the plugin \"off\" is not enabled")));
}

TEST(PluginTables, SpellCircles) {
  EXPECT_THAT(problems(R"({"plugins": [{"name": "z"}, {"name": "a", "depends": ["z", "b"]},
      {"name": "b", "depends": ["a"]}]})"),
              ElementsAre("t:1:54: /plugins/1/depends: leads in a circle: a -> b -> a"));
  EXPECT_THAT(problems(R"({"plugins": [{"name": "a", "depends": ["a"]}]})"),
              ElementsAre(HasSubstr("leads in a circle: a -> a")));
}

TEST(PluginTables, MayAskForHashes) {
  const std::string hash(64, 'A');
  EXPECT_THAT(problems(R"({"plugin_defaults": {"require_sha256": "on"}, "plugins": [
      {"name": "a"}, {"name": "b", "enabled": "off"}, {"name": "c", "sha256": ")" +
                       hash + "\"}]}"),
              ElementsAre(HasSubstr("/plugins/0: \"sha256\" is needed: plugin_defaults.req")));
  EXPECT_THAT(problems(R"({"profile": "hardened", "plugins": [{"name": "a", "sha256": ""}]})"),
              ElementsAre(HasSubstr("/plugins/0/sha256: \"sha256\" is needed")));
}

TEST(PluginTables, KnowThePluginsOfRoutes) {
  EXPECT_THAT(problems(R"({"plugins": [{"name": "chat"}], "http": {"routes": [
      {"match": "/a", "handler": "plugin:caht"}, {"match": "/b", "handler": "plugin:chat"}]}})"),
              ElementsAre(HasSubstr("/http/routes/0/handler: there is no plugin \"caht\"; did you "
                                    "mean \"chat\"?")));
  EXPECT_THAT(problems(R"({"http": {"routes": [{"match": "/", "handler": "plugin:a"}]}})"),
              ElementsAre(HasSubstr("/http/routes/0/handler: there is no plugin \"a\"")));
}

}  // namespace
}  // namespace ssx::config
