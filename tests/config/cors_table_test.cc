// The object http.cors: what is read, and what is refused with its place.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ssxrver/config/server_config.h"

namespace ssx::config {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::vector<std::string> problems(const std::string& cors) {
  const auto config = ServerConfig::parse("{\"http\": {\"cors\":\n" + cors + "}}", {}, "t");
  return config ? std::vector<std::string>() : config.error().sentences();
}

TEST(CorsTable, BindsEveryKey) {
  const auto config = ServerConfig::parse(R"({"http": {"cors": {"enabled": "on",
      "origins": ["https://a.example", "http://localhost:3000", "null"],
      "methods": ["GET", "PUT"], "headers": ["Content-Type", "*"], "expose_headers": ["X-Total"],
      "credentials": "on", "max_age": 60}}})");
  ASSERT_TRUE(config) << config.error().text();
  http::CorsOptions expected;
  expected.enabled = expected.credentials = true;
  expected.origins = {"https://a.example", "http://localhost:3000", "null"};
  expected.methods = {"GET", "PUT"};
  expected.headers = {"Content-Type", "*"};
  expected.expose_headers = {"X-Total"};
  expected.max_age = std::chrono::seconds(60);
  EXPECT_EQ(config->cors, expected);
  EXPECT_EQ(ServerConfig::parse(config->to_json())->cors, expected);
}

TEST(CorsTable, IsOffByDefault) {
  EXPECT_EQ(ServerConfig::parse("{}")->cors, http::CorsOptions());
  EXPECT_FALSE(ServerConfig::parse("{}")->cors.enabled);
  EXPECT_TRUE(problems(R"({"enabled": "off", "origins": [], "methods": [], "headers": [],
                           "credentials": "off", "max_age": 600})")
                  .empty());
}

TEST(CorsTable, RefusesEveryOriginTogetherWithCredentials) {
  EXPECT_THAT(problems(R"({"enabled": "on", "credentials": "on",
 "origins": ["*"]})"),
              ElementsAre("t:3:13: /http/cors/origins: \"*\" does not go with \"credentials\": "
                          "\"on\", as every page could act in the name of its visitor: name the "
                          "origins"));
  EXPECT_TRUE(problems(R"({"enabled": "on", "origins": ["*"]})").empty());
}

TEST(CorsTable, NeedsOriginsOnceItIsOn) {
  EXPECT_THAT(problems(R"({"enabled": "on"})"),
              ElementsAre("t:2:1: /http/cors: is enabled for no origins: name them in "
                          "\"origins\""));
}

TEST(CorsTable, RefusesWhatNoBrowserSends) {
  for (const char* origin :
       {"a.example", "https://a.example/", "https://a.example:443", "http://a.example:80",
        "https://A.example", "ftp://a.example", "https://", "https://a.example:", "https://u@a", "",
        "https://*.example"}) {
    const auto found = problems(R"({"origins": [")" + std::string(origin) + "\"]}");
    ASSERT_EQ(found.size(), 1U) << origin;
    EXPECT_THAT(found[0], HasSubstr("/http/cors/origins/0: expected an origin as browsers"));
  }
  EXPECT_TRUE(problems(R"({"origins": ["https://a.example:80", "http://[::1]:443"]})").empty());
  EXPECT_THAT(problems(R"({"headers": ["a b"]})"), ElementsAre(HasSubstr("a field's name")));
  EXPECT_THAT(problems(R"({"expose_headers": [""]})"), ElementsAre(HasSubstr("a field's name")));
  EXPECT_THAT(problems(R"({"methods": ["get"]})"), ElementsAre(HasSubstr("a method: GET")));
}

}  // namespace
}  // namespace ssx::config
