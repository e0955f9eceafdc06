#include "ssxrver/daemon/plugin_rules.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <vector>

namespace ssx {
namespace {

using http::Method;
using plugins::NamedRoute;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class Rules : public ::testing::Test {
 protected:
  /// `routes`: entries of http.routes. Of them the rules are known from here on.
  void load(const std::string& routes) {
    auto loaded = ServerConfig::parse(R"({"task_processes": 1, "plugins": [
        {"name": "api", "mount": "/api"}, {"name": "other"}, {"name": "off", "enabled": "off"}],
        "http": {"routes": [)" + routes +
                                      "]}}");
    ASSERT_TRUE(loaded) << loaded.error().text();
    config = *std::move(loaded);
    auto made = PluginRules::create(app, config.routes);
    ASSERT_TRUE(made) << made.error().text();
    rules = *std::move(made);
  }
  static NamedRoute route(std::string pattern, std::vector<Method> methods = {Method::kGet}) {
    return {std::move(methods), std::move(pattern), {}};
  }
  static NamedRoute socket(std::string pattern) {
    NamedRoute made = route(std::move(pattern));
    made.websocket.emplace();
    made.settings.handler_timeout = made.websocket->limits.handshake_timeout;
    return made;
  }
  std::vector<NamedRoute> apply(NamedRoute given, std::string_view plugin = "api") {
    auto applied = rules.apply(plugin, {std::move(given)}, 0);
    EXPECT_TRUE(applied) << applied.error();
    return applied ? *std::move(applied) : std::vector<NamedRoute>();
  }
  /// The only part.
  NamedRoute apply_whole(NamedRoute given, std::string_view plugin = "api") {
    auto parts = apply(std::move(given), plugin);
    EXPECT_THAT(parts, SizeIs(1));
    return parts.empty() ? NamedRoute() : std::move(parts.front());
  }
  std::string refusal(NamedRoute given) { return refusal({std::move(given)}, 0); }
  std::string refusal(const std::vector<NamedRoute>& all, std::size_t index) {
    const auto applied = rules.apply("api", all, index);
    return applied ? "it was taken" : applied.error();
  }
  [[nodiscard]] std::vector<std::string> idle() const { return rules.find_idle(config.plugins); }

  App app;
  ServerConfig config;
  PluginRules rules;
};

TEST_F(Rules, LeaveAloneWhatTheyDoNotCover) {
  load(R"({"match": "/api/admin/*", "handler": "plugin:api", "max_body_size": "1k"},
          {"match": "/*", "handler": "plugin:other", "max_body_size": "2k"},
          {"match": "/*", "handler": "static", "max_body_size": "3k"})");
  EXPECT_EQ(apply_whole(route("/api/notes")).settings.body_max, std::nullopt);
  EXPECT_EQ(apply_whole(route("/api/admin/x")).settings.body_max, 1024U);
  EXPECT_EQ(apply_whole(route("/api/admin/x"), "other").settings.body_max, 2048U);
  EXPECT_EQ(apply_whole(route("/x"), "a third").settings.body_max, std::nullopt);
}

TEST_F(Rules, SayWhatTheyHaveGivenAndLeaveTheRestToThePlugin) {
  load(R"({"match": "/api/*", "handler": "plugin:api", "timeouts": {"write": "3s"}})");
  NamedRoute wanted = route("/api/upload", {Method::kPost});
  wanted.settings.body = http::BodyMode::kStream;
  wanted.settings.body_max = 8ULL << 30;
  wanted.settings.handler_timeout = std::chrono::minutes(5);
  wanted.settings.decodes_body = true;
  const RouteSettings settings = apply_whole(wanted).settings;
  EXPECT_EQ(settings.body_max, 8ULL << 30);
  EXPECT_EQ(settings.handler_timeout, std::chrono::minutes(5));
  EXPECT_EQ(settings.body, http::BodyMode::kStream);
  EXPECT_EQ(settings.decodes_body, true);
  EXPECT_EQ(settings.write_timeout, std::chrono::seconds(3));
  EXPECT_EQ(settings.body_timeout, config.http.timeouts.body);
}

TEST_F(Rules, AreStrongerThanThePlugin) {
  load(R"({"match": "/api/*", "handler": "plugin:api", "max_body_size": "64M", "run_on": "loop",
           "timeouts": {"handler": "30s"}})");
  NamedRoute wanted = route("/api/upload");
  wanted.settings.body_max = 8ULL << 30;
  wanted.settings.run_on = RunOn::kTasks;
  wanted.settings.handler_timeout = std::chrono::minutes(5);
  const RouteSettings settings = apply_whole(wanted).settings;
  EXPECT_EQ(settings.body_max, 64U << 20) << "given, though it is the default";
  EXPECT_EQ(settings.run_on, RunOn::kLoop);
  EXPECT_EQ(settings.handler_timeout, std::chrono::seconds(30));
}

TEST_F(Rules, PutHandlersOnTaskThreads) {
  load(R"({"match": "/api/*", "handler": "plugin:api", "run_on": "tasks"})");
  EXPECT_EQ(apply_whole(route("/api/a")).settings.run_on, RunOn::kTasks);
}

TEST_F(Rules, TheMostSpecificOneCounts) {
  load(R"({"match": "/api/*", "handler": "plugin:api", "max_body_size": 1},
          {"match": "/api/{x}/b", "handler": "plugin:api", "max_body_size": 2},
          {"match": "/api/a/{y}", "handler": "plugin:api", "max_body_size": 3},
          {"match": "/api/*", "host": "b.example", "handler": "plugin:api", "max_body_size": 4})");
  const auto body_max = [this](const char* pattern) {
    NamedRoute given = route(pattern);
    given.settings.host = "a.example";
    return apply_whole(std::move(given)).settings.body_max.value_or(0);
  };
  EXPECT_EQ(body_max("/api/a"), 1U);
  EXPECT_EQ(body_max("/api/c/b"), 2U);
  EXPECT_EQ(body_max("/api/a/b"), 3U);
  NamedRoute of_host = route("/api/a/b");
  of_host.settings.host = "B.example:80";
  EXPECT_EQ(apply_whole(std::move(of_host)).settings.body_max, 4U);
}

TEST_F(Rules, DivideARouteByItsMethods) {
  load(R"({"match": "/api/*", "methods": ["POST", "DELETE"], "handler": "plugin:api",
           "max_body_size": 1})");
  auto parts = apply(route("/api/a", {Method::kGet, Method::kPost, Method::kDelete}));
  ASSERT_THAT(parts, SizeIs(2));
  EXPECT_THAT(parts[0].methods, ElementsAre(Method::kGet));
  EXPECT_EQ(parts[0].settings.body_max, std::nullopt);
  EXPECT_THAT(parts[1].methods, ElementsAre(Method::kPost, Method::kDelete));
  EXPECT_EQ(parts[1].settings.body_max, 1U);
  parts = apply(route("/api/all", {}));
  ASSERT_THAT(parts, SizeIs(2));
  EXPECT_THAT(parts[0].methods, ElementsAre(Method::kGet, Method::kHead, Method::kPut,
                                            Method::kOptions, Method::kTrace, Method::kPatch));
  EXPECT_THAT(parts[1].methods, ElementsAre(Method::kPost, Method::kDelete));
}

TEST_F(Rules, OfEveryMethodLeaveARouteWhole) {
  load(R"({"match": "/api/*", "handler": "plugin:api", "max_body_size": 1})");
  EXPECT_THAT(apply_whole(route("/api/a", {})).methods, IsEmpty());
}

TEST_F(Rules, OfGetAreOfHeadAsWell) {
  load(R"({"match": "/api/*", "methods": ["GET"], "handler": "plugin:api", "max_body_size": 1})");
  EXPECT_EQ(apply_whole(route("/api/a", {Method::kHead})).settings.body_max, 1U);
}

TEST_F(Rules, ForAPartOfItsPathsAreRefused) {
  load(R"({"match": "/api/admin/*", "handler": "plugin:api"})");
  EXPECT_EQ(refusal(route("/api/*")),
            "the rule \"/api/admin/*\" of plugin:api is for a part of it only: it has other paths "
            "as well");
}

TEST_F(Rules, ForPathsThatAnotherRouteHasDoNotMatterToIt) {
  load(R"({"match": "/api/all", "handler": "plugin:api"})");
  const std::vector<NamedRoute> all{route("/api/{id}", {Method::kPut}),
                                    route("/api/all", {Method::kPut})};
  EXPECT_EQ(refusal(all, 0), "it was taken");
  EXPECT_EQ(refusal(all, 1), "it was taken");
  EXPECT_THAT(refusal(all[0]), HasSubstr("for a part of it only"));
  std::vector<NamedRoute> of_hosts = all;
  of_hosts[1].settings.host = "a.example";
  EXPECT_THAT(refusal(of_hosts, 0), HasSubstr("for a part of it only")) << "the others reach it";
}

TEST_F(Rules, ForAPartOfItsHostsAreRefused) {
  load(R"({"match": "/api/*", "host": "a.example", "handler": "plugin:api"})");
  EXPECT_THAT(refusal(route("/api/a")), HasSubstr("a part of it only: it is for every host"));
  NamedRoute other = route("/api/a");
  other.settings.host = "b.example";
  EXPECT_EQ(refusal(std::move(other)), "it was taken");
}

TEST_F(Rules, ForOtherMethodsDoNotMatterToIt) {
  load(R"({"match": "/api/admin/*", "methods": ["POST"], "handler": "plugin:api"})");
  EXPECT_EQ(refusal(route("/api/*")), "it was taken");
}

TEST_F(Rules, OfWebSocketsAreForThemAlone) {
  load(R"({"match": "/api/*", "handler": "websocket:plugin:api", "max_message_size": "1k"},
          {"match": "/api/*", "handler": "plugin:api", "max_body_size": 1})");
  const NamedRoute plain = apply_whole(route("/api/live"));
  EXPECT_EQ(plain.settings.body_max, 1U);
  EXPECT_FALSE(plain.websocket);
  const NamedRoute live = apply_whole(socket("/api/live"));
  ASSERT_TRUE(live.websocket);
  EXPECT_EQ(live.websocket->limits.message_max, 1024U);
  EXPECT_EQ(live.settings.body_max, config.http.body_max) << "the other rule is not for it";
}

TEST_F(Rules, OfAllRoutesCoverWebSocketsToo) {
  load(R"({"match": "/api/*", "handler": "plugin:api", "rate_limit": "1/s"})");
  NamedRoute given = socket("/api/live");
  given.websocket->limits.message_max = 77;
  const NamedRoute live = apply_whole(std::move(given));
  EXPECT_THAT(live.settings.middleware, SizeIs(1));
  EXPECT_EQ(live.websocket->limits.message_max, 77U) << "the plugin's choice";
}

TEST_F(Rules, SetTheTimeOfAHandshake) {
  load(R"({"match": "/api/live", "handler": "websocket:plugin:api", "handshake_timeout": "2s"})");
  const NamedRoute live = apply_whole(socket("/api/live"));
  EXPECT_EQ(live.settings.handler_timeout, std::chrono::seconds(2));
  EXPECT_EQ(live.websocket->limits.handshake_timeout, std::chrono::seconds(2));
}

TEST_F(Rules, ThatDoNotGoWithThePluginsLimitsAreRefused) {
  load(R"({"match": "/api/live", "handler": "websocket:plugin:api",
           "backpressure": {"high": "1M"}})");
  NamedRoute given = socket("/api/live");
  given.websocket->limits.backpressure = {.high = 1000, .low = 10, .max = 2000};
  EXPECT_EQ(apply_whole(given).websocket->limits.backpressure.max, 4U << 20);
  load(R"({"match": "/api/live", "handler": "websocket:plugin:api", "max_frame_size": "1M"})");
  given.websocket->limits.message_max = 1000;
  EXPECT_THAT(refusal(std::move(given)),
              HasSubstr("route \"/api/live\": /max_frame_size: expected at most "
                        "\"max_message_size\", which is 1000"));
}

TEST_F(Rules, HaveOneRateForAllTheirRoutes) {
  load(R"({"match": "/api/*", "handler": "plugin:api", "rate_limit": "1/s",
           "middleware": ["security_headers"]})");
  EXPECT_THAT(apply_whole(route("/api/a")).settings.middleware, SizeIs(2));
  EXPECT_THAT(apply_whole(route("/api/b")).settings.middleware, SizeIs(2));
}

TEST_F(Rules, ThatCoverNothingAreToldOf) {
  load(R"({"match": "/apii/*", "handler": "plugin:api"}, {"match": "/api/*", "handler":
          "plugin:api"}, {"match": "/x", "handler": "plugin:off"})");
  (void)apply(route("/api/a"));
  EXPECT_THAT(idle(), ElementsAre("http.routes: the rule \"/apii/*\" of plugin:api covers no route "
                                  "of the plugin; they stand below \"/api\""));
}

TEST_F(Rules, ThatCannotBeMadeEndTheStart) {
  RouteOptions rule;
  rule.handler = "plugin:api";
  rule.around.auth = "basic:/nowhere";
  const auto made = PluginRules::create(app, {rule});
  ASSERT_FALSE(made);
  EXPECT_THAT(made.error().text(), HasSubstr("/nowhere"));
}

}  // namespace
}  // namespace ssx
