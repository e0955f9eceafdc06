// Routes for plugins: what they have themselves, and what they leave to the plugin.
#include "ssxrver/config/rule_keys.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ssxrver/config/server_config.h"

namespace ssx::config {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

StartupResult<ServerConfig> parse(const std::string& keys) {
  return ServerConfig::parse(R"({"task_processes": 1, "plugins": [{"name": "api"}],
      "http": {"routes": [{"match": "/api/*", )" +
                                 keys + "}]}}",
                             {}, "t");
}
std::vector<std::string> problems(const std::string& keys) {
  const auto config = parse(keys);
  return config ? std::vector<std::string>() : config.error().sentences();
}
RouteOptions rule(const std::string& keys) {
  const auto config = parse(keys);
  EXPECT_TRUE(config) << config.error().text();
  return config ? config->routes.at(0) : RouteOptions();
}
std::string given(const RouteOptions& route) { return json::write(route.given, json::kCompact); }

TEST(RuleKeys, KnowThePlugin) {
  EXPECT_EQ(plugin_of("plugin:chat"), "chat");
  EXPECT_EQ(plugin_of("websocket:plugin:chat"), "chat");
  EXPECT_EQ(plugin_of("websocket:chat"), "");
  EXPECT_EQ(plugin_of("static"), "");
}

TEST(RuleKeys, AreThoseThatStandThere) {
  EXPECT_EQ(given(rule(R"("handler": "plugin:api")")), "{}");
  EXPECT_EQ(given(rule(R"("methods": ["GET"], "host": "a", "handler": "plugin:api",
                          "max_body_size": 1, "timeouts": {"write": "1s"})")),
            R"({"max_body_size":true,"timeouts":{"write":true}})");
  EXPECT_EQ(given(rule(R"("handler": "text", "max_body_size": 1)")), "{}") << "it is no rule";
}

TEST(RuleKeys, AreWrittenAlone) {
  const auto config = parse(R"("handler": "websocket:plugin:api", "max_message_size": "1M",
                               "backpressure": {"high": "2k"})");
  ASSERT_TRUE(config);
  const auto again = ServerConfig::parse(config->to_json());
  ASSERT_TRUE(again) << again.error().text();
  EXPECT_EQ(*again, *config);
  const auto written = json::parse(config->to_json(), 0, {});
  ASSERT_TRUE(written);
  const json::Value* routes = written->root.find("http")->find("routes");
  EXPECT_EQ(json::write((*routes->array())[0], json::kCompact),
            R"({"match":"/api/*","methods":[],"host":"","handler":"websocket:plugin:api",)"
            R"("max_message_size":1048576,"backpressure":{"high":2048}})");
}

TEST(RuleKeys, OfWebSocketsAreForTheirRules) {
  EXPECT_THAT(problems(R"("handler": "plugin:api", "max_message_size": 1)"),
              ElementsAre(HasSubstr("/max_message_size: belongs to handlers that begin with")));
  EXPECT_THAT(problems(R"("handler": "websocket:plugin:api", "run_on": "tasks")"),
              ElementsAre(HasSubstr("\"websocket:plugin:api\" runs on the loop")));
  EXPECT_THAT(problems(R"("handler": "websocket:plugin:api", "methods": ["POST"])"),
              ElementsAre(HasSubstr("a WebSocket begins with GET")));
  EXPECT_THAT(problems(R"("handler": "plugin:api", "root": "x")"),
              ElementsAre(HasSubstr("belongs to the handler \"static\"")));
  EXPECT_THAT(problems(R"("handler": "plugin:api", "run_on": "tasks")"), IsEmpty());
}

TEST(RuleKeys, ArePutOverWhatAnotherHasChosen) {
  RouteOptions base;
  base.body_max = 5;
  base.timeouts.handler = std::chrono::hours(1);
  const auto made = put_over(
      rule(R"("handler": "plugin:api", "max_body_size": "64M", "timeouts": {"write": "1s"})"),
      base);
  ASSERT_TRUE(made) << made.error();
  EXPECT_EQ(made->body_max, 64U << 20);
  EXPECT_EQ(made->timeouts.handler, std::chrono::hours(1));
  EXPECT_EQ(made->timeouts.write, std::chrono::seconds(1));
}

TEST(RuleKeys, ThatDoNotGoWithItAreToldOf) {
  RouteOptions base;
  base.websocket.limits.message_max = 10;
  const auto made =
      put_over(rule(R"("handler": "websocket:plugin:api", "max_frame_size": 11)"), base);
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error(),
            "route \"/api/*\": /max_frame_size: expected at most "
            "\"max_message_size\", which is 10, found 11");
}

TEST(RuleKeys, TwoRulesForTheSameAreRefused) {
  const auto routes = [](const std::string& first, const std::string& second) {
    const auto config =
        ServerConfig::parse(R"({"plugins": [{"name": "a"}, {"name": "b"}],
        "http": {"routes": [{"match": "/*", "handler": ")" +
                            first + R"("}, {"match": "/*", "handler": ")" + second + "\"}]}}");
    return config ? "" : config.error().text();
  };
  EXPECT_THAT(routes("plugin:a", "plugin:a"), HasSubstr("answers the same requests as route 0"));
  EXPECT_EQ(routes("plugin:a", "plugin:b"), "");
  EXPECT_EQ(routes("plugin:a", "websocket:plugin:a"), "");
  EXPECT_EQ(routes("plugin:a", "echo"), "");
  EXPECT_EQ(routes("echo", "plugin:a"), "");
  EXPECT_THAT(routes("echo", "status"), HasSubstr("answers the same requests"));
}

}  // namespace
}  // namespace ssx::config
