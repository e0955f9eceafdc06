#include "http/middleware/rate_limit.h"

#include <string>

#include "tests/http/middleware/middleware_fixture.h"

namespace ssx::http::test {
namespace {

using net::SocketAddress;
using ssx::make_error_code;

class RateLimit : public MiddlewareTest {
 protected:
  void build(const RateLimitOptions& options_) {
    auto made = rate_limit(options_);
    ASSERT_TRUE(made.has_value());
    surround(*made);
    add(Method::kGet, "/", [this](const Request&) {
      ++handled;
      return "in\n";
    });
  }
  Answer come(const std::string& ip, std::string_view bytes) {
    peer_address = *SocketAddress::parse(ip, 4000);
    return ask(bytes);
  }
  Answer come(const std::string& ip) { return come(ip, get("/")); }
  int handled = 0;
};

TEST_F(RateLimit, TakesABurstAndRefusesTheNext) {
  build({.rate = {1, 60s, 3}});
  for (int i = 1; i <= 3; ++i) EXPECT_EQ(come("192.0.2.1").status, 200) << i;
  const Answer refused_one = come("192.0.2.1");
  EXPECT_EQ(refused_one.status, 429);
  EXPECT_EQ(refused_one.field("Retry-After"), "60");
  EXPECT_EQ(refused_one.field("Connection"), "");
  EXPECT_EQ(handled, 3);
  EXPECT_EQ(refused(Errc::kTooManyRequests), 1U);
  advance(59s + 999ms);
  EXPECT_EQ(come("192.0.2.1").field("Retry-After"), "1");
  advance(1ms);
  EXPECT_EQ(come("192.0.2.1").status, 200);
  EXPECT_EQ(come("192.0.2.1").status, 429);
  EXPECT_EQ(handled, 4);
  EXPECT_EQ(refused(Errc::kTooManyRequests), 3U);
}

TEST_F(RateLimit, IsEachClientsOwn) {
  build({.rate = {1, 60s, 1}});
  EXPECT_EQ(come("192.0.2.1").status, 200);
  EXPECT_EQ(come("192.0.2.1").status, 429);
  EXPECT_EQ(come("192.0.2.2").status, 200);
}

TEST_F(RateLimit, CountsWhomATrustedProxyNames) {
  build({.rate = {1, 60s, 1}});
  start_service();
  service->set_guard(*RequestGuard::create({"10.0.0.1"}, RealIpHeader::kXForwardedFor, {}));
  for (const char* ip : {"192.0.2.1", "192.0.2.2"}) {
    const std::string named = get("/", "X-Forwarded-For: " + std::string(ip) + "\r\n");
    EXPECT_EQ(come("10.0.0.1", named).status, 200) << ip;
    EXPECT_EQ(come("10.0.0.1", named).status, 429) << ip;
    EXPECT_EQ(come("10.0.0.9", named).status, ip == std::string("192.0.2.1") ? 200 : 429);
  }
}

TEST_F(RateLimit, CountsRequestsThatHaveNoRouteForTheirMethod) {
  build({.rate = {1, 60s, 2}});
  EXPECT_EQ(come("192.0.2.1", request("DELETE", "/")).status, 405);
  EXPECT_EQ(come("192.0.2.1", request("OPTIONS", "/")).status, 204);
  // As the composed fallback counts with the route: it is one Middleware.
  EXPECT_EQ(come("192.0.2.1").status, 429);
}

TEST_F(RateLimit, DoesNotCountUnixSockets) {
  peer_address = {};
  build({.rate = {1, 60s, 1}});
  for (int i = 0; i < 10; ++i) EXPECT_EQ(ask(get("/")).status, 200) << i;
}

TEST(RateLimitOptions, AreChecked) {
  const auto refusal = [](std::size_t addresses) {
    const auto made = rate_limit({.rate = {1, 1s, 1}, .addresses_max = addresses});
    return !made && made.error() == make_error_code(ssx::Errc::kInvalidArgument);
  };
  EXPECT_TRUE(refusal(0));
  EXPECT_FALSE(refusal(1));
  EXPECT_TRUE(refusal(RateLimitOptions::kAddressesMax + 1));
}

}  // namespace
}  // namespace ssx::http::test
