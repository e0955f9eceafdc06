#include "ssxrver/app/websocket_routes.h"

#include <gtest/gtest.h>

#include <string>

#include "ssxrver/app/builtin_routes.h"
#include "tests/app/app_fixture.h"
#include "tests/websocket/frames.h"

namespace ssx {
namespace {

using test::RawClient;
using websocket::Opcode;
using websocket::test::binary;
using websocket::test::closing;
using websocket::test::frame;
using websocket::test::show;
using websocket::test::text;

class WebSocketRoutes : public test::AppTest {
 protected:
  static RouteOptions route(std::string handler) {
    RouteOptions options;
    options.match = "/ws";
    options.handler = std::move(handler);
    return options;
  }
  void serve(const RouteOptions& options) {
    const auto added = add_route(*app, options);
    ASSERT_TRUE(added) << added.error().text();
    app->listen(0);
    port = start();
  }
  static std::string handshake() {
    return get("/ws",
               "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
               "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n");
  }
  RawClient open() {
    RawClient client = RawClient::tcp(port);
    client.send(handshake());
    EXPECT_EQ(client.read_response().status, 101);
    return client;
  }
  /// What it has said, once both have closed.
  static std::string said(RawClient& client) {
    client.send(closing(1000));
    return show(client.read_to_end());
  }

  std::uint16_t port = 0;
};

TEST_F(WebSocketRoutes, EchoMessagesAsTheyCame) {
  serve(route("websocket:echo"));
  RawClient client = open();
  client.send(text("one") + binary("two") + frame(Opcode::kText, "th", {.fin = false}) +
              frame(Opcode::kContinuation, "ree"));
  EXPECT_EQ(said(client), "text one|binary two|text three|close 1000 |");
}

TEST_F(WebSocketRoutes, EchoPiecesAsFragments) {
  RouteOptions echo = route("websocket:echo");
  echo.websocket.parse_mode = WebSocketOptions::ParseMode::kStream;
  serve(echo);
  RawClient client = open();
  client.send(text("whole"));
  EXPECT_EQ(show(client.read(7)), "text whole|");
  client.send(frame(Opcode::kText, "th", {.fin = false}));
  EXPECT_EQ(client.read(4), std::string("\x01\x02th", 4));  // before the message has ended
  client.send(frame(Opcode::kContinuation, "", {.fin = false}));
  client.send(frame(Opcode::kContinuation, "re", {.fin = false}));
  EXPECT_EQ(client.read(4), std::string("\x00\x02re", 4));
  client.send(frame(Opcode::kContinuation, ""));
  EXPECT_EQ(client.read(2), std::string("\x80\x00", 2));
  EXPECT_EQ(said(client), "close 1000 |");
}

TEST_F(WebSocketRoutes, CountWhatTheySink) {
  serve(route("websocket:sink"));
  RawClient client = open();
  client.send(text("") + binary("12345") + frame(Opcode::kBinary, "123", {.fin = false}) +
              frame(Opcode::kContinuation, "4567") + text("1"));
  EXPECT_EQ(said(client), "text 0|text 5|text 7|text 1|close 1000 |");
}

TEST_F(WebSocketRoutes, HaveLimitsOfTheirOwn) {
  RouteOptions echo = route("websocket:echo");
  echo.websocket.limits.message_max = echo.websocket.limits.frame_max = 5;
  serve(echo);
  RawClient client = open();
  client.send(text("12345") + text("123456"));
  EXPECT_EQ(show(client.read_to_end()), "text 12345|close 1009 frame too long|");
}

TEST_F(WebSocketRoutes, AgreeOnCompressionWhenTheySaySo) {
  RouteOptions echo = route("websocket:echo");
  echo.websocket.limits.deflate.mode = websocket::DeflateMode::kBoth;
  serve(echo);
  RawClient client = RawClient::tcp(port);
  std::string asking = handshake();
  asking.insert(asking.size() - 2, "Sec-WebSocket-Extensions: permessage-deflate\r\n");
  client.send(asking);
  const auto answer = client.read_response();
  EXPECT_EQ(answer.status, 101);
  EXPECT_NE(answer.field("Sec-WebSocket-Extensions").find("permessage-deflate"), std::string::npos);
}

TEST_F(WebSocketRoutes, AreNotThereWhenTheyAreOff) {
  RouteOptions off = route("websocket:echo");
  off.websocket.enabled = false;
  serve(off);
  RawClient client = RawClient::tcp(port);
  client.send(handshake());
  EXPECT_EQ(client.read_response().status, 404);
}

TEST_F(WebSocketRoutes, AnswerOtherRequestsAsWebSocketsDo) {
  serve(route("websocket:echo"));
  EXPECT_EQ(ask(port, "/ws").status, 426);
  RawClient client = RawClient::tcp(port);
  client.send("POST /ws HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n");
  EXPECT_EQ(client.read_response().status, 405);
}

TEST_F(WebSocketRoutes, AreThoseThatHaveAName) {
  EXPECT_FALSE(make_websocket_handler(*app, route("websocket:nothing")));
  EXPECT_FALSE(make_websocket_handler(*app, route("echo")));
}

}  // namespace
}  // namespace ssx
