#include "websocket/client/client.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>

#include "tests/websocket/client/client_fixture.h"

namespace ssx::websocket::test {
namespace {

TEST_F(ClientTest, HasManySocketsAtOnce) {
  Echo server;
  route("/echo", server.handlers());
  serve();
  make_client(to(kUrl));
  std::vector<std::optional<Connected<ClientSocket>>> sockets(20);
  for (auto& one : sockets) start(store(client->open(), one));
  for (std::size_t i = 0; i < sockets.size(); ++i) {
    ASSERT_TRUE(sockets[i] && *sockets[i]);
    EXPECT_EQ(send(**sockets[i], std::to_string(i)), "sent");
  }
  for (std::size_t i = 0; i < sockets.size(); ++i)
    EXPECT_EQ(receive(**sockets[i]), "text " + std::to_string(i));
  EXPECT_EQ(client->socket_counters().open.value(), 20);
  sockets.clear();
  idle();
  EXPECT_EQ(client->socket_counters().open.value(), 0);
  EXPECT_EQ(counts().open.value(), 0);
}

TEST_F(ClientTest, EndsWhatItHadWhenItConnectsAnew) {
  make_client(to(kUrl));
  std::string log;
  ClientHandlers first;
  first.on_open = [&log](auto&, const ClientAnswer&) { log += "first "; };
  first.on_close = [&log](auto&, CloseCode, std::string_view) { log += "never "; };
  ASSERT_TRUE(client->connect(std::move(first)));
  idle();
  accept();
  ClientHandlers second;
  second.on_open = [&log](auto&, const ClientAnswer&) { log += "second"; };
  ASSERT_TRUE(client->connect(std::move(second)));
  idle();
  accept();
  EXPECT_EQ(log, "first second");
  EXPECT_EQ(stack.asked.size(), 2U);
  EXPECT_EQ(client_table->size(), 1U);
}

TEST_F(ClientTest, GoesAwayWithTheServerItIsIn) {
  Echo server;
  route("/echo", server.handlers());
  serve();
  ClientSocket& socket = connected(to(kUrl));
  client_table->drain(1s);
  EXPECT_TRUE(socket.is_open()) << "what is open is the program's to close";
  opened.reset();
  open();
  ASSERT_TRUE(opened && *opened);
  EXPECT_EQ((*opened)->close_code(), CloseCode::kGoingAway) << "what comes later is closed";
}

// What a client sends is masked, and a file is never in our memory (RFC 6455 5.3).
TEST_F(ClientTest, SendsNoFiles) {
  make_client(to(kUrl));
  ASSERT_TRUE(client->connect({}));
  idle();
  accept();
  ASSERT_NE(client->socket(), nullptr);
  FileSlice slice;
  slice.size = 5;
  EXPECT_EQ(client->socket()->send_file(slice), Sent::kClosed);
  EXPECT_EQ(client->socket()->send("text"), Sent::kOk);
  EXPECT_EQ(show_masked(request()), "text text|");
}

}  // namespace
}  // namespace ssx::websocket::test
