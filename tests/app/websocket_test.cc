// WebSockets of an App: on real workers, over the loopback.
#include <gtest/gtest.h>

#include <atomic>
#include <string>

#include "ssxrver/ssxrver.h"
#include "tests/support/raw_client.h"
#include "tests/websocket/frames.h"

namespace ssx {
namespace {

using test::RawClient;
using websocket::test::closing;
using websocket::test::show;
using websocket::test::text;

std::string handshake(const std::string& path) {
  return "GET " + path +
         " HTTP/1.1\r\nHost: a.example\r\nConnection: keep-alive, Upgrade\r\nUpgrade: websocket\r\n"
         "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n";
}

class AppWebSockets : public testing::Test {
 protected:
  AppWebSockets() {
    app.workers(2).ws(
        "/echo", {.on_message = [](auto& socket, const Message& message) { socket.send(message); },
                  .on_close = [this](auto&, CloseCode, std::string_view) { ++closed; }});
    app.listen(0);
  }
  RawClient open() {
    RawClient client = RawClient::tcp(port);
    client.send(handshake("/echo"));
    EXPECT_EQ(client.read_response().status, 101);
    return client;
  }

  App app;
  std::atomic<int> closed = 0;
  std::uint16_t port = 0;
};

TEST_F(AppWebSockets, EchoOnEveryWorkerAndGoAwayWithTheServer) {
  port = app.start()->port();
  std::vector<RawClient> clients;
  for (int i = 0; i < 4; ++i) clients.push_back(open());
  for (RawClient& client : clients) {
    client.send(text("hello"));
    EXPECT_EQ(show(client.read(7)), "text hello|");
  }
  app.drain();
  for (RawClient& client : clients) {
    EXPECT_EQ(show(client.read(4)), "close 1001 |");
    client.send(closing(1001));
    EXPECT_EQ(client.read_to_end(), "");
  }
  app.wait();
  EXPECT_EQ(closed, 4);
}

TEST_F(AppWebSockets, AreRoutesAsOthersAre) {
  const TokenCheck check = [](const Request&, std::string_view token) { return token == "let-me"; };
  app.ws("/guarded", {.on_message = [](auto& socket, const Message&) { socket.send("in"); }},
         {.middleware = {bearer_token(check)}});
  port = app.start()->port();
  RawClient client = RawClient::tcp(port);
  client.send(handshake("/guarded"));
  EXPECT_EQ(client.read_response().status, 401);
  std::string bytes = handshake("/guarded");
  bytes.insert(bytes.size() - 2, "Authorization: Bearer let-me\r\n");
  client.send(bytes);
  EXPECT_EQ(client.read_response().status, 101);
  client.send(text("x"));
  EXPECT_EQ(show(client.read(4)), "text in|");
  client.close();
  app.drain();
  app.wait();
}

TEST_F(AppWebSockets, BoundTheTimeOfOnUpgrade) {
  websocket::Handlers<> slow;
  slow.limits.handshake_timeout = std::chrono::milliseconds(20);
  slow.on_upgrade = [](const Request&) -> Task<websocket::Upgrade<websocket::NoData>> {
    co_await net::sleep_for(std::chrono::hours(1));
    co_return websocket::Upgrade<websocket::NoData>(websocket::NoData{});
  };
  app.ws("/slow", std::move(slow));
  port = app.start()->port();
  RawClient client = RawClient::tcp(port);
  client.send(handshake("/slow"));
  EXPECT_EQ(client.read_response().status, 503);
  app.stop();
  app.wait();
  std::uint64_t rejected = 0;
  for (std::uint32_t i = 0; i < app.websockets().worker_count(); ++i)
    rejected += app.websockets().worker(i).counters.rejected.value();
  EXPECT_EQ(rejected, 1U);
}

// Six sockets on two workers: what one says, and what another thread publishes, reaches each
// of the others once and in order.
TEST_F(AppWebSockets, HaveTopicsAcrossWorkers) {
  app.ws("/room", {.on_open = [](auto& socket) { EXPECT_TRUE(socket.subscribe("room")); },
                   .on_message = [](auto& socket,
                                    const Message& message) { socket.publish("room", message); }});
  port = app.start()->port();
  std::vector<RawClient> clients;
  for (int i = 0; i < 6; ++i) {
    clients.push_back(RawClient::tcp(port));
    clients.back().send(handshake("/room"));
    EXPECT_EQ(clients.back().read_response().status, 101);
    // It has subscribed when it is answered: on_open comes before anything that it says.
    clients.back().send(websocket::test::ping());
    EXPECT_EQ(show(clients.back().read(2)), "pong |");
  }
  for (int i = 0; i < 100; ++i) clients[0].send(text(std::to_string(1000 + i)));
  for (std::size_t i = 1; i < clients.size(); ++i) {
    for (int k = 0; k < 100; ++k)
      ASSERT_EQ(show(clients[i].read(6)), "text " + std::to_string(1000 + k) + "|");
  }
  app.websockets().publish("room", "for all");
  for (RawClient& client : clients) EXPECT_EQ(show(client.read(9)), "text for all|");
  app.stop();
  app.wait();
}

}  // namespace
}  // namespace ssx
