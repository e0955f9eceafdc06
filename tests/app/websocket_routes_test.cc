#include "ssxrver/app/websocket_routes.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

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
  static std::string handshake(const std::string& target = "/ws") {
    return get(target,
               "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
               "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n");
  }
  RawClient open(const std::string& target = "/ws") {
    RawClient client = RawClient::tcp(port);
    client.send(handshake(target));
    EXPECT_EQ(client.read_response().status, 101);
    return client;
  }
  /// What it has said, once both have closed.
  static std::string said(RawClient& client) {
    client.send(closing(1000));
    return show(client.read_to_end());
  }

  /// The payload of a frame of at most 64k.
  static std::string next(RawClient& client) {
    const std::string head = client.read(2);
    std::size_t size = static_cast<unsigned char>(head[1]);
    if (size == 126) {
      const std::string length = client.read(2);
      size = static_cast<unsigned char>(length[0]) * 256U + static_cast<unsigned char>(length[1]);
    }
    return client.read(size);
  }
  static bool holds(const std::string& all, const std::string& part) {
    return all.find(part) != std::string::npos;
  }
  /// A chat with so little room for what waits that one message more does not fit into a welcome.
  static RouteOptions narrow_chat(websocket::BackpressurePolicy policy) {
    RouteOptions chat = route("websocket:chat");
    chat.match = "/chat/{room}";
    chat.websocket.history = 1;
    chat.websocket.limits.backpressure = {1000, 1000, 1000, policy};
    return chat;
  }
  /// What the others hear of one whose welcome does not fit; what he hears is handed back.
  std::string come_without_welcome() {
    RawClient ada = open("/chat/one?name=ada");
    EXPECT_TRUE(holds(next(ada), R"("type":"welcome")"));
    ada.send(text(R"({"text":")" + std::string(900, 'x') + R"("})"));
    EXPECT_TRUE(holds(next(ada), "xxx"));
    RawClient bob = open("/chat/one?name=bob");
    std::string heard = said(bob);
    EXPECT_TRUE(holds(next(ada), R"("type":"join")"));
    EXPECT_TRUE(holds(next(ada), R"("type":"leave")"));
    EXPECT_EQ(said(ada), "close 1000 |");
    return heard;
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
  echo.websocket.parse_mode = WebSocketRouteOptions::ParseMode::kStream;
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

// Two workers take the connections in turn.
TEST_F(WebSocketRoutes, BroadcastToAllOfTheRoute) {
  RouteOptions other = route("websocket:broadcast");
  other.match = "/other";
  ASSERT_TRUE(add_route(*app, other));
  serve(route("websocket:broadcast"));
  std::vector<RawClient> clients;
  RawClient stranger = open("/other");
  for (int i = 0; i < 4; ++i) {
    clients.push_back(open());
    clients.back().send(text("x"));
    EXPECT_EQ(show(clients.back().read(3)), "text x|");  // so it has subscribed
  }
  for (std::size_t i = 0; i < clients.size(); ++i) {
    for (std::size_t heard = i + 1; heard < clients.size(); ++heard)
      EXPECT_EQ(show(clients[i].read(3)), "text x|");
  }
  stranger.send(text("mine"));
  EXPECT_EQ(show(stranger.read(6)), "text mine|");
  EXPECT_EQ(said(stranger), "close 1000 |");
}

TEST_F(WebSocketRoutes, ChatInRooms) {
  RouteOptions chat = route("websocket:chat");
  chat.match = "/chat/{room}";
  chat.websocket.history = 5;
  serve(chat);
  RawClient ada = open("/chat/one?name=ada");
  EXPECT_TRUE(holds(next(ada), R"("members":["ada"],"history":[]})"));
  RawClient bob = open("/chat/one?name=ada");
  EXPECT_TRUE(holds(next(bob), R"("name":"ada 2","members":["ada","ada 2"])"));
  EXPECT_TRUE(holds(next(ada), R"({"type":"join",)"));
  RawClient cy = open("/chat/two?name=cy");
  EXPECT_TRUE(holds(next(cy), R"("room":"two","name":"cy","members":["cy"])"));
  bob.send(text(R"({"text":"hello"})"));
  for (RawClient* client : {&bob, &ada})
    EXPECT_TRUE(holds(next(*client), R"("name":"ada 2","text":"hello"})"));
  bob.send(text("hello"));
  EXPECT_TRUE(holds(next(bob), R"({"type":"error",)"));
  EXPECT_EQ(said(bob), "close 1000 |");
  EXPECT_TRUE(holds(next(ada), R"({"type":"leave",)"));
  EXPECT_EQ(said(cy), "close 1000 |");
  RawClient dan = open("/chat/one?name=dan");
  EXPECT_TRUE(holds(next(dan), R"("text":"hello"}]})"));
}

TEST_F(WebSocketRoutes, LetOthersHearOfAJoinBeforeTheLeave) {
  serve(narrow_chat(websocket::BackpressurePolicy::kClose));
  EXPECT_EQ(come_without_welcome(), "close 1013 reads too slowly|");
}

TEST_F(WebSocketRoutes, CloseWhoseWelcomeIsDropped) {
  serve(narrow_chat(websocket::BackpressurePolicy::kDropNewest));
  EXPECT_EQ(come_without_welcome(), "close 1013 no room for the welcome|");
}

TEST_F(WebSocketRoutes, ChatWithWhoeverHasAName) {
  RouteOptions chat = route("websocket:chat");
  serve(chat);
  for (const char* target :
       {"/ws", "/ws?room=a", "/ws?name=a", "/ws?room=a&name=%0A", "/ws?room=%20&name=a"}) {
    RawClient client = RawClient::tcp(port);
    client.send(handshake(target));
    EXPECT_EQ(client.read_response().status, 400) << target;
  }
  RawClient client = open("/ws?room=a&name=b");
  EXPECT_EQ(client.read(2).substr(0, 1), "\x81");
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
