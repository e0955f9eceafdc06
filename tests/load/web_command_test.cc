#include "ssxrver/load/web_command.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <vector>

#include "ssxrver/load/command_line.h"
#include "ssxrver/load/http_peer.h"
#include "ssxrver/load/plan_run.h"
#include "tests/load/fake_server.h"
#include "tests/load/measured.h"
#include "tests/support/reserved_port.h"

namespace ssx::load {
namespace {

using test::FakeServer;
using test::Visit;
using ::testing::HasSubstr;
using ::testing::Not;
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

WebOptions parsed(std::vector<const char*> words) {
  words.insert(words.begin(), {"ssxrver-bench", "web"});
  words.push_back("http://a/");
  const auto command = parse_command(static_cast<int>(words.size()), words.data());
  EXPECT_TRUE(command) << command.error().text();
  return command ? std::get<WebOptions>(*command) : WebOptions();
}

TEST(WebCommand, TakesItsDefaultsForZero) {
  EXPECT_EQ(parsed({"-t", "0"}).seconds, 30U);
  EXPECT_EQ(parsed({"-c", "0"}).clients, 1U);
  EXPECT_EQ(parsed({"-t", "2", "-c", "3"}).seconds, 2U);
}

TEST(WebCommand, TheLastOfTwoOptionsHolds) {
  EXPECT_EQ(parsed({"-2", "-1"}).version, Version::kHttp10);
  EXPECT_EQ(parsed({"-19"}).version, Version::kHttp09);
  EXPECT_EQ(parsed({"-9", "-1", "-9"}).version, Version::kHttp09);
  EXPECT_EQ(parsed({"--trace", "--get"}).method, "GET");
  EXPECT_EQ(parsed({"-t", "2", "-t", "5"}).seconds, 5U);
  EXPECT_EQ(parsed({"-c", "2", "-c", "5"}).clients, 5U);
  EXPECT_EQ(parsed({"-p", "a", "-p", "b"}).proxy, "b");
}

// Else a script whose variable is empty would measure the server instead of the proxy.
TEST(WebCommand, AnEmptyProxyIsNoProxy) {
  const std::vector<const char*> words{"ssxrver-bench", "web", "-p", "", "http://a/"};
  const auto command = parse_command(static_cast<int>(words.size()), words.data());
  ASSERT_FALSE(command);
  EXPECT_THAT(command.error().text(), HasSubstr("--proxy"));
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
  EXPECT_EQ(version_of(given), Version::kHttp09);
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
  EXPECT_EQ(plan->request,
            "GET http://127.0.0.1:81/a HTTP/1.0\r\n"
            "User-Agent: ssxrver-bench\r\nPragma: no-cache\r\n\r\n");
  given.reloads = false;
  given.version = Version::kHttp09;
  EXPECT_EQ(request_of(given), "GET http://127.0.0.1:81/a\r\n");
  for (const char* bad : {":80", "127.0.0.1:", "127.0.0.1:0", "127.0.0.1:65536"}) {
    given.proxy = bad;
    EXPECT_THAT(request_of(given), HasSubstr("expected HOST:PORT")) << bad;
  }
}

TEST(WebCommand, AProxyWithoutAPortHasPort80) {
  WebOptions given = options();
  given.proxy = "127.0.0.2";
  EXPECT_EQ(make_plan(given)->target.to_string(), "127.0.0.2:80");
  EXPECT_THAT(describe(given), HasSubstr("via proxy server 127.0.0.2:80."));
  given.proxy = "[::1]";
  EXPECT_EQ(make_plan(given)->target.to_string(), "[::1]:80");
}

TEST(WebCommand, OnlyAProxyIsToldToReload) {
  WebOptions given = options();
  given.reloads = true;
  EXPECT_THAT(request_of(given), Not(HasSubstr("Pragma")));
}

TEST(WebCommand, ReadsToTheEndOrNotAtAll) {
  WebOptions given = options();
  EXPECT_EQ(make_plan(given)->answer, HttpPlan::Answer::kUntilClosed);
  EXPECT_FALSE(make_plan(given)->keeps_connections);
  given.forces = true;
  EXPECT_EQ(make_plan(given)->answer, HttpPlan::Answer::kNotAwaited);
}

// A server that takes the end of what is sent for the end of the request answers no sooner.
TEST(WebCommand, EndsARequestOfHttp09ByClosingItsSide) {
  const FakeServer server([](Visit& visit) {
    if (!visit.read_bytes(1000)) visit.send("a page");
  });
  WebOptions given = options();
  given.url = "http://" + server.address().to_string() + "/";
  given.version = Version::kHttp09;
  const auto plan = make_plan(given);
  ASSERT_TRUE(plan) << plan.error().text();
  test::expect_all_well(test::measured(*plan, peer_loads(*plan, make_http_peers(*plan))));
  given.version = Version::kHttp10;
  EXPECT_FALSE(make_plan(given)->half_closes);
}

TEST(WebCommand, TriesAConnectionBeforeItMeasures) {
  WebOptions given = options();
  given.seconds = 1;
  const ssx::test::ReservedPort nobody;
  given.url = "http://127.0.0.1:" + std::to_string(nobody.number()) + "/";
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  const auto status = run_web(given);
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "\nConnect to server failed. Aborting benchmark.\n");
  EXPECT_EQ(testing::internal::GetCapturedStdout(), describe(given)) << "and no result";
  ASSERT_TRUE(status) << status.error().text();
  EXPECT_EQ(*status, 1);
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
