#include "ssxrver/load/web_command.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>

namespace ssx::load {
namespace {

using ::testing::HasSubstr;
using Version = WebOptions::Version;

WebOptions options() {
  WebOptions made;
  made.url = "http://127.0.0.1:81/a";
  return made;
}
std::string request_of(const WebOptions& given) {
  const auto plan = make_plan(given);
  return plan ? plan->request : plan.error().text();
}

TEST(WebCommand, AsksAsWebbenchDoes) {
  constexpr const char* kFields = "User-Agent: ssxrver-bench\r\nHost: 127.0.0.1:81\r\n";
  WebOptions given = options();
  EXPECT_EQ(request_of(given), std::string("GET /a HTTP/1.0\r\n") + kFields + "\r\n");
  given.version = Version::kHttp11;
  EXPECT_EQ(request_of(given),
            std::string("GET /a HTTP/1.1\r\n") + kFields + "Connection: close\r\n\r\n");
  given.version = Version::kHttp09;
  EXPECT_EQ(request_of(given), "GET /a\r\n");
}

TEST(WebCommand, AMethodMayNeedALaterVersion) {
  WebOptions given = options();
  given.version = Version::kHttp09;
  given.method = "HEAD";
  EXPECT_EQ(version_of(given), Version::kHttp10);
  given.method = "TRACE";
  EXPECT_EQ(version_of(given), Version::kHttp11);
  given.method = "OPTIONS";
  EXPECT_EQ(version_of(given), Version::kHttp11);
  given.method = "GET";
  EXPECT_EQ(version_of(given), Version::kHttp09);
  given.reloads = true;
  given.proxy = "127.0.0.1:3128";
  EXPECT_EQ(version_of(given), Version::kHttp10);
}

TEST(WebCommand, AsksAProxyForTheWholeUrl) {
  WebOptions given = options();
  given.proxy = "127.0.0.2:3128";
  given.reloads = true;
  const auto plan = make_plan(given);
  ASSERT_TRUE(plan) << plan.error().text();
  EXPECT_EQ(plan->target.to_string(), "127.0.0.2:3128");
  EXPECT_THAT(plan->request, HasSubstr("GET http://127.0.0.1:81/a HTTP/1.0\r\n"));
  EXPECT_THAT(plan->request, HasSubstr("\r\nPragma: no-cache\r\n"));
  for (const char* bad : {"127.0.0.1", "127.0.0.1:", "127.0.0.1:0", "127.0.0.1:65536"}) {
    given.proxy = bad;
    EXPECT_THAT(request_of(given), HasSubstr("expected HOST:PORT")) << bad;
  }
}

TEST(WebCommand, ReadsToTheEndOrNotAtAll) {
  WebOptions given = options();
  EXPECT_EQ(make_plan(given)->answer, HttpPlan::Answer::kUntilClosed);
  EXPECT_FALSE(make_plan(given)->keeps_connections);
  given.forces = true;
  EXPECT_EQ(make_plan(given)->answer, HttpPlan::Answer::kNotAwaited);
}

TEST(WebCommand, TakesNoOtherUrl) {
  WebOptions given = options();
  given.url = "https://127.0.0.1/";
  EXPECT_THAT(request_of(given), HasSubstr("begins with http://"));
}

TEST(WebCommand, SaysWhatItMeasures) {
  WebOptions given = options();
  given.clients = 100;
  given.seconds = 15;
  EXPECT_EQ(describe(given),
            "\nBenchmarking: GET http://127.0.0.1:81/a\n100 clients, running 15 sec.\n");
  given.clients = 1;
  given.version = Version::kHttp11;
  given.forces = given.reloads = true;
  given.proxy = "p:1";
  EXPECT_EQ(describe(given),
            "\nBenchmarking: GET http://127.0.0.1:81/a (using HTTP/1.1)\n1 client, running 15 sec, "
            "early socket close, via proxy server p:1, forcing reload.\n");
}

TEST(WebCommand, CountsPagesPerMinute) {
  Outcome outcome;
  outcome.window = std::chrono::seconds(15);
  outcome.tally.answered = 1000;
  outcome.tally.fail(Failure::kReset, 5);
  outcome.tally.bytes_in = 30'000;
  EXPECT_EQ(to_pages(outcome),
            "\nSpeed=4020 pages/min, 2000 bytes/sec.\nRequests: 1000 susceed, 5 failed.\n");
}

}  // namespace
}  // namespace ssx::load
