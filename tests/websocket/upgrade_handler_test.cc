// Handshakes of which nothing comes: who said no, and what is counted.
#include "websocket/upgrade_handler.h"

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include "ssxrver/net/awaitables.h"
#include "ssxrver/net/timer_wheel.h"
#include "tests/websocket/session_fixture.h"

namespace ssx::websocket::test {
namespace {

class WebSocketUpgrade : public WebSocketTest {
 protected:
  /// As App::ws() does it.
  void bounded_route(std::string_view path, Handlers<> handlers) {
    http::RouteLimits limits = http::RouteLimits::from(options);
    limits.handler_timeout = handlers.limits.handshake_timeout;
    const auto added = router.add(
        "", {}, path,
        {make_handler(websockets, std::string(path), std::move(handlers)), limits, "slow"});
    ASSERT_TRUE(added) << added.error().message();
  }
  static Handlers<> waits(Duration how_long) {
    Handlers<> handlers;
    handlers.on_upgrade = [how_long](const http::Request&) -> Task<Upgrade<NoData>> {
      co_await net::sleep_for(how_long);
      co_return Upgrade<NoData>(NoData{});
    };
    return handlers;
  }
  [[nodiscard]] std::uint64_t refused() { return counts().refused.value(); }
  [[nodiscard]] std::uint64_t rejected() { return counts().rejected.value(); }
};

TEST_F(WebSocketUpgrade, CountsWhatTheRfcRefusesByReason) {
  route("/", Handlers<>{});
  const std::string good = handshake("/");
  const auto with = [&good](std::string_view what, std::string_view instead) {
    return std::string(good).replace(good.find(what), what.size(), instead);
  };
  const struct {
    std::string request;
    std::string_view status;
    Errc error;
  } rows[] = {
      {http::test::post("/", "x"), "405", Errc::kNotGet},
      {with("HTTP/1.1", "HTTP/1.0"), "400", Errc::kNotHttp11},
      {with("Upgrade: websocket", "Upgrade: other"), "426", Errc::kNoUpgrade},
      {with("Version: 13", "Version: 8"), "426", Errc::kBadVersion},
      {with("dGhlIHNhbXBsZSBub25jZQ==", "short"), "400", Errc::kBadKey},
      {handshake("/", "Sec-WebSocket-Protocol: a, a\r\n"), "400", Errc::kBadSubprotocols},
      {handshake("/", "Sec-WebSocket-Extensions: ;\r\n"), "400", Errc::kBadExtensions},
      {handshake("/", "Origin: http://b.example\r\n"), "403", Errc::kForbiddenOrigin},
  };
  std::uint64_t count = 0;
  for (const auto& row : rows) {
    EXPECT_EQ(talk(row.request).substr(9, 3), row.status) << to_string(row.error);
    EXPECT_EQ(failed(row.error), 1U) << to_string(row.error);
    EXPECT_EQ(refused(), ++count) << to_string(row.error);
  }
  const Peer peer = open("/");
  EXPECT_EQ(refused(), count);
  EXPECT_EQ(rejected(), 0U);
  EXPECT_EQ(counts().opened.value(), 1U);
}

/// Names in one field line of about so many bytes.
std::string subprotocol_line(std::size_t bytes) {
  std::string line = "Sec-WebSocket-Protocol: p";
  for (int i = 0; line.size() < bytes; ++i) line += ",p" + std::to_string(i);
  return line + "\r\n";
}

// Before anybody sees that it is a handshake.
TEST_F(WebSocketUpgrade, B03HeadsThatAreTooLargeAreRefusedAsAnyAre) {
  route("/", Handlers<>{});
  std::string fields;
  for (int i = 0; i < 2000; ++i) fields += "X-" + std::to_string(i) + ": y\r\n";
  EXPECT_EQ(talk(handshake("/", fields)).substr(9, 3), "431");
  EXPECT_EQ(talk(handshake("/", subprotocol_line(64 << 10))).substr(9, 3), "431");
  EXPECT_EQ(refused() + rejected(), 0U);
  const Peer peer = open("/");
  EXPECT_EQ(counts().opened.value(), 1U);
}

TEST_F(WebSocketUpgrade, B03AListOfSubprotocolsIsRefusedHoweverMuchAHeadMayHave) {
  options.parser.head_max = options.parser.field_line_max = 64 << 10;
  route("/", Handlers<>{});
  EXPECT_EQ(talk(handshake("/", subprotocol_line(60 << 10))).substr(9, 3), "400");
  EXPECT_EQ(failed(Errc::kBadSubprotocols), 1U);
}

TEST_F(WebSocketUpgrade, CountsWhatOnUpgradeRejects) {
  Handlers<> handlers;
  handlers.on_upgrade = [](const http::Request& request) -> Upgrade<NoData> {
    if (request.path() == "/throws") throw std::runtime_error("no luck");
    if (request.path() == "/no") return reject(http::Status::kForbidden);
    return NoData{};
  };
  for (const char* path : {"/yes", "/no", "/throws"}) route(path, handlers);
  const Peer peer = open("/yes");
  EXPECT_EQ(rejected(), 0U);
  EXPECT_EQ(talk(handshake("/no")).substr(9, 3), "403");
  EXPECT_EQ(rejected(), 1U);
  EXPECT_EQ(talk(handshake("/throws")).substr(9, 3), "500");
  EXPECT_EQ(rejected(), 2U);
  EXPECT_EQ(refused(), 0U);
}

TEST_F(WebSocketUpgrade, WaitsSoLongForOnUpgrade) {
  bounded_route("/less", waits(4999ms));
  bounded_route("/never", waits(1h));
  Peer in_time = connect();
  tell(in_time, handshake("/less"));
  Peer late = connect();
  tell(late, handshake("/never"));
  advance(4999ms);
  EXPECT_EQ(in_time.read_response().status, 101);
  EXPECT_EQ(late.read_available(), "");
  EXPECT_EQ(rejected(), 0U);
  advance(1ms + 2 * net::TimerWheel::kTick);  // deadlines are never early
  EXPECT_EQ(late.read_response().status, 503);
  EXPECT_EQ(rejected(), 1U);
  EXPECT_EQ(counts().opened.value(), 1U);
}

TEST_F(WebSocketUpgrade, CountsPeersThatDoNotWait) {
  bounded_route("/slow", waits(1s));
  Peer peer = connect();
  tell(peer, handshake("/slow"));
  EXPECT_EQ(rejected(), 0U);
  peer.close();
  idle();
  EXPECT_EQ(rejected(), 1U);
  EXPECT_EQ(refused(), 0U);
}

}  // namespace
}  // namespace ssx::websocket::test
