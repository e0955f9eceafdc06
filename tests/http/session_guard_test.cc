// What a session asks the guard before a handler is called: client, lists, rates, memory.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "http/request_guard.h"
#include "tests/http/session_fixture.h"

namespace ssx::http {
namespace {

using namespace std::chrono_literals;  // NOLINT(google-build-using-namespace): literals only
using net::SocketAddress;
using test::Client;
using test::get;
using test::post;

class SessionGuardTest : public test::SessionTest {
 protected:
  SessionGuardTest() {
    on(Method::kGet, "/who", [this](const Request& request) {
      ++handled;
      return request.client().to_string() + " by " + request.peer().to_string();
    });
    on(Method::kPost, "/body", [this](const Request&) {
      ++handled;
      return "taken";
    });
  }
  /// A client at this address; with the first one the service is made.
  Client come(const std::string& ip) {
    if (service == nullptr) {
      start_service();
      service->set_guard(*RequestGuard::create(proxies, header, rates, admission.get(), &overload));
    }
    peer_address = *SocketAddress::parse(ip, 4000);
    return connect();
  }
  std::vector<std::string> proxies;
  RealIpHeader header = RealIpHeader::kXForwardedFor;
  std::vector<RequestRateOptions> rates;
  net::Overload overload;
  std::unique_ptr<net::Admission> admission = *net::Admission::create({}, {});
  int handled = 0;
};

TEST_F(SessionGuardTest, HandlersSeeTheClientThatATrustedProxyNames) {
  proxies = {"10.0.0.0/8"};
  auto proxy = come("10.0.0.1");
  EXPECT_EQ(ask(proxy, get("/who", "X-Forwarded-For: 6.6.6.6, 192.0.2.1\r\n")).body,
            "192.0.2.1:0 by 10.0.0.1:4000");
  // The next request on this connection is somebody else's.
  EXPECT_EQ(ask(proxy, get("/who", "X-Forwarded-For: 192.0.2.2\r\n")).body,
            "192.0.2.2:0 by 10.0.0.1:4000");
  EXPECT_EQ(ask(proxy, get("/who")).body, "10.0.0.1:4000 by 10.0.0.1:4000");
  auto stranger = come("198.51.100.1");
  EXPECT_EQ(ask(stranger, get("/who", "X-Forwarded-For: 192.0.2.1\r\n")).body,
            "198.51.100.1:4000 by 198.51.100.1:4000");
}

TEST_F(SessionGuardTest, AboveTheRateThereIs429AndTheConnectionLivesOn) {
  rates = {{.match = "/*", .rate = {1, 60s, 3}}};
  auto client = come("192.0.2.1");
  for (int i = 0; i < 3; ++i) ASSERT_EQ(ask(client, get("/who")).status, 200) << i;
  const auto answer = ask(client, get("/who"));
  EXPECT_EQ(answer.status, 429);
  EXPECT_EQ(answer.field("Retry-After"), "60");
  EXPECT_EQ(answer.field("Connection"), "");
  EXPECT_EQ(handled, 3);
  EXPECT_EQ(refused(Errc::kTooManyRequests), 1U);
  auto other = come("192.0.2.2");
  EXPECT_EQ(ask(other, get("/who")).status, 200);
  advance(59s);
  EXPECT_EQ(ask(client, get("/who")).status, 429);
  advance(1s);
  EXPECT_EQ(ask(client, get("/who")).status, 200);
}

TEST_F(SessionGuardTest, TheRateIsThatOfTheClientBehindTheProxy) {
  proxies = {"10.0.0.1"};
  rates = {{.match = "/*", .rate = {1, 60s, 1}}};
  auto proxy = come("10.0.0.1");
  for (const char* ip : {"192.0.2.1", "192.0.2.2", "192.0.2.3"}) {
    const std::string line = "X-Forwarded-For: " + std::string(ip) + "\r\n";
    EXPECT_EQ(ask(proxy, get("/who", line)).status, 200) << ip;
    EXPECT_EQ(ask(proxy, get("/who", line)).status, 429) << ip;
  }
}

TEST_F(SessionGuardTest, EachRequestOfAPipelineIsCounted) {
  rates = {{.match = "/*", .rate = {1, 60s, 2}}};
  auto client = come("192.0.2.1");
  client.send(get("/who") + get("/who") + get("/who") + get("/who"));
  idle();
  EXPECT_EQ(client.read_response().status, 200);
  EXPECT_EQ(client.read_response().status, 200);
  EXPECT_EQ(client.read_response().status, 429);
  EXPECT_EQ(client.read_response().status, 429);
}

TEST_F(SessionGuardTest, ABodyThatNobodyWantsEndsTheConnection) {
  rates = {{.match = "/*", .rate = {1, 60s, 1}}};
  auto client = come("192.0.2.1");
  EXPECT_EQ(ask(client, post("/body", "abc")).body, "taken");
  const auto answer = ask(client, post("/body", "abc"));
  EXPECT_EQ(answer.status, 429);
  EXPECT_EQ(answer.field("Connection"), "close");
  EXPECT_EQ(handled, 1);
}

TEST_F(SessionGuardTest, ARequestInPiecesIsCountedOnce) {
  rates = {{.match = "/*", .rate = {1, 60s, 1}}};
  auto client = come("192.0.2.1");
  const std::string request = get("/who");
  for (const char byte : request) {
    client.send(std::string(1, byte));
    idle();
  }
  EXPECT_EQ(client.read_response().status, 200);
  EXPECT_EQ(ask(client, get("/who")).status, 429);
}

TEST_F(SessionGuardTest, AClientThatIsDeniedBehindAProxyGets403) {
  proxies = {"10.0.0.1"};
  admission = *net::Admission::create({}, {.deny = {"192.0.2.0/24"}, .trusted_proxies = proxies});
  auto proxy = come("10.0.0.1");
  EXPECT_EQ(ask(proxy, get("/who", "X-Forwarded-For: 192.0.2.1\r\n")).status, 403);
  EXPECT_EQ(ask(proxy, get("/who", "X-Forwarded-For: 198.51.100.1\r\n")).status, 200);
  EXPECT_EQ(refused(Errc::kClientDenied), 1U);
  EXPECT_EQ(handled, 1);
}

TEST_F(SessionGuardTest, ShortOfMemoryConnectionsAreNotKeptThenRequestsRefused) {
  auto client = come("192.0.2.1");
  EXPECT_EQ(ask(client, get("/who")).field("Connection"), "");
  overload.set(net::OverloadLevel::kSave);
  const auto last = ask(client, get("/who"));
  EXPECT_EQ(last.status, 200);
  EXPECT_EQ(last.field("Connection"), "close");
  overload.set(net::OverloadLevel::kRefuse);
  auto late = come("192.0.2.1");
  const auto refusal = ask(late, get("/who"));
  EXPECT_EQ(refusal.status, 503);
  EXPECT_EQ(refusal.field("Retry-After"), "5");
  EXPECT_EQ(refusal.field("Connection"), "close");
  EXPECT_EQ(refused(Errc::kOverloaded), 1U);
  EXPECT_EQ(handled, 2);
  overload.set(net::OverloadLevel::kNone);
  auto again = come("192.0.2.1");
  EXPECT_EQ(ask(again, get("/who")).status, 200);
}

TEST_F(SessionGuardTest, ShortOfRoomConnectionsAreNotKeptAndNobodyIsRefused) {
  auto client = come("192.0.2.1");
  overload.set_crowded(true);
  const auto last = ask(client, get("/who"));
  EXPECT_EQ(last.status, 200);
  EXPECT_EQ(last.field("Connection"), "close");
  EXPECT_EQ(counters().overload_not_kept.value(), 1U);
  overload.set_crowded(false);
  auto again = come("192.0.2.1");
  EXPECT_EQ(ask(again, get("/who")).field("Connection"), "");
  EXPECT_EQ(counters().overload_not_kept.value(), 1U);
}

TEST_F(SessionGuardTest, ShortOfMemoryWhatWasSentIsStillAnswered) {
  auto client = come("192.0.2.1");
  overload.set(net::OverloadLevel::kSave);
  client.send(get("/who") + get("/who"));
  idle();
  EXPECT_EQ(client.read_response().field("Connection"), "");
  EXPECT_EQ(client.read_response().field("Connection"), "close");
}

}  // namespace
}  // namespace ssx::http
