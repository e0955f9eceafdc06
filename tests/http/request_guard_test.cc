#include "http/request_guard.h"

#include <gtest/gtest.h>

#include <string>

#include "tests/support/manual_clock.h"

namespace ssx::http {
namespace {

using namespace std::chrono_literals;  // NOLINT(google-build-using-namespace): literals only
using net::SocketAddress;

SocketAddress address(const std::string& ip) { return *SocketAddress::parse(ip, 1234); }

class RequestGuardTest : public testing::Test {
 protected:
  void make(const std::vector<RequestRateOptions>& rates = {}) {
    guard = *RequestGuard::create({"10.0.0.0/8"}, RealIpHeader::kXForwardedFor, rates,
                                  admission.get(), &overload);
  }
  [[nodiscard]] Errc judge(const std::string& ip, std::string_view path = "/") {
    last = guard->judge(address(ip), address(ip), path, clock.now());
    return last.error;
  }
  int taken(const std::string& ip, std::string_view path, int tries) {
    int count = 0;
    for (int i = 0; i < tries; ++i) count += judge(ip, path) == Errc::kOk ? 1 : 0;
    return count;
  }

  test::ManualClock clock;
  net::Overload overload;
  std::unique_ptr<net::Admission> admission = *net::Admission::create({}, {});
  std::unique_ptr<RequestGuard> guard;
  RequestGuard::Verdict last;
};

TEST_F(RequestGuardTest, LetsEverythingInByDefault) {
  make();
  EXPECT_EQ(taken("192.0.2.1", "/", 1000), 1000);
  EXPECT_FALSE(guard->ends_connections());
  const auto bare = *RequestGuard::create({}, RealIpHeader::kNone, {});
  const auto from = address("192.0.2.1");
  EXPECT_EQ(bare->judge(from, from, "/", clock.now()).error, Errc::kOk);
  EXPECT_FALSE(bare->ends_connections());
}

TEST_F(RequestGuardTest, EachAddressHasItsRateOverAllPathsOfARule) {
  make({{.match = "/*", .rate = {200, 1s, 400}}});
  EXPECT_EQ(taken("192.0.2.1", "/a", 399), 399);
  EXPECT_EQ(judge("192.0.2.1", "/b"), Errc::kOk);
  EXPECT_EQ(judge("192.0.2.1", "/c"), Errc::kTooManyRequests);
  EXPECT_EQ(last.retry_after, 1s);
  EXPECT_EQ(judge("192.0.2.2", "/c"), Errc::kOk);
  clock.advance(1s);
  EXPECT_EQ(taken("192.0.2.1", "/", 1000), 200);
  EXPECT_EQ(guard->forgotten(), 0U);
}

TEST_F(RequestGuardTest, SaysInWholeSecondsWhenToComeBack) {
  make({{.match = "/*", .rate = {2, 60s, 1}}});
  EXPECT_EQ(judge("192.0.2.1"), Errc::kOk);
  EXPECT_EQ(judge("192.0.2.1"), Errc::kTooManyRequests);
  EXPECT_EQ(last.retry_after, 30s);
  clock.advance(100ms);
  EXPECT_EQ(judge("192.0.2.1"), Errc::kTooManyRequests);
  EXPECT_EQ(last.retry_after, 30s);
  clock.advance(29s + 900ms);
  EXPECT_EQ(judge("192.0.2.1"), Errc::kOk);
}

TEST_F(RequestGuardTest, TheFirstRuleThatMatchesCounts) {
  make({{.match = "/login", .rate = {1, 60s, 1}},
        {.match = "/static/*", .rate = {}},
        {.match = "/*", .rate = {1, 60s, 3}}});
  EXPECT_EQ(taken("192.0.2.1", "/login", 10), 1);
  EXPECT_EQ(taken("192.0.2.1", "/static/a.css", 10), 10);
  EXPECT_EQ(taken("192.0.2.1", "/static/", 10), 10);
  EXPECT_EQ(taken("192.0.2.1", "/login/x", 10), 3);  // not the login: all of the rest together
  EXPECT_EQ(taken("192.0.2.1", "/static", 10), 0);
}

TEST_F(RequestGuardTest, APathWithoutARuleHasNoLimit) {
  make({{.match = "/api/*", .rate = {1, 60s, 1}}});
  EXPECT_EQ(taken("192.0.2.1", "/", 10), 10);
  EXPECT_EQ(taken("192.0.2.1", "/api/x", 10), 1);
}

TEST_F(RequestGuardTest, ShortOfMemoryRequestsAreRefused) {
  make();
  overload.set(net::OverloadLevel::kSave);
  EXPECT_EQ(judge("192.0.2.1"), Errc::kOk);
  EXPECT_TRUE(guard->ends_connections());
  for (const auto level : {net::OverloadLevel::kRefuse, net::OverloadLevel::kStop}) {
    overload.set(level);
    EXPECT_EQ(judge("192.0.2.1"), Errc::kOverloaded);
    EXPECT_EQ(last.retry_after, RequestGuard::kMemoryRetry);
  }
}

TEST_F(RequestGuardTest, WhomAProxyNamesIsJudgedByTheLists) {
  admission =
      *net::Admission::create({}, {.deny = {"192.0.2.0/24"}, .trusted_proxies = {"10.0.0.0/8"}});
  make();
  const auto ask = [this](const char* client) {
    return guard->judge(address("10.0.0.1"), address(client), "/", clock.now()).error;
  };
  EXPECT_EQ(ask("192.0.2.1"), Errc::kClientDenied);
  EXPECT_EQ(ask("198.51.100.1"), Errc::kOk);
  EXPECT_EQ(ask("10.0.0.1"), Errc::kOk);
}

TEST_F(RequestGuardTest, TheErrorsHaveTheirStatus) {
  EXPECT_EQ(status_of(Errc::kTooManyRequests), Status::kTooManyRequests);
  EXPECT_EQ(status_of(Errc::kClientDenied), Status::kForbidden);
  EXPECT_EQ(status_of(Errc::kOverloaded), Status::kServiceUnavailable);
}

}  // namespace
}  // namespace ssx::http
