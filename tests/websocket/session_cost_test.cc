// What a message costs: heap allocations, once everything has been used before.
#include <gtest/gtest.h>

#include <string>

#include "tests/support/counting_allocator.h"
#include "tests/websocket/session_fixture.h"
#include "websocket/session.h"

namespace ssx::websocket::test {
namespace {

using ssx::test::allocations;

class SessionCost : public WebSocketTest {
 protected:
  SessionCost() { route("/echo", echo.handlers()); }

  /// Allocations of twenty echoes, after twenty to warm up.
  std::int64_t allocations_of(const std::string& bytes) {
    Peer peer = open("/echo");
    std::int64_t news = 0;
    for (int i = 0; i < 40; ++i) {
      std::string_view rest = bytes;
      while (!rest.empty()) {
        rest.remove_prefix(peer.send_without_waiting(rest));
        const auto before = allocations();
        idle();
        if (i >= 20) news += (allocations() - before).news;
      }
      EXPECT_GE(hear(peer).size(), bytes.size() / 2);
    }
    return news;
  }
  Echo echo;
};

TEST_F(SessionCost, NoAllocationForAnEchoOfAnySize) {
  for (const std::size_t size : {2U, 64U, 125U, 126U, 1024U, 16384U, 65535U, 65536U}) {
    EXPECT_EQ(allocations_of(text(std::string(size, 't'))), 0) << size;
    EXPECT_EQ(allocations_of(binary(std::string(size, 'b'))), 0) << size;
  }
}

// What does not come back lies behind its header, in a block that is kept.
TEST_F(SessionCost, NoAllocationForAMessageOfItsOwn) {
  std::string own;
  Handlers<> handlers;
  handlers.on_message = [&own](auto& socket, const Message&) { socket.send(own); };
  route("/own", std::move(handlers));
  Peer peer = open("/own");
  for (const std::size_t size : {4095U, 4096U, 16384U, 65535U, 65536U}) {
    own.assign(size, 'o');
    std::int64_t news = 0;
    for (int i = 0; i < 10; ++i) {
      peer.send_without_waiting(text("x"));
      const auto before = allocations();
      idle();
      if (i >= 5) news += (allocations() - before).news;
      EXPECT_GE(hear(peer).size(), size);
    }
    EXPECT_EQ(news, 0) << size;
  }
}

TEST_F(SessionCost, NoAllocationForAFragmentedEcho) {
  const std::string piece(700, 'x');
  EXPECT_EQ(allocations_of(fragments({piece, piece, piece})), 0);
  const std::string large(20000, 'x');
  EXPECT_EQ(allocations_of(fragments({large, large, large})), 0);
}

// What is published costs a frame, and a delivery of it nothing.
TEST_F(SessionCost, NoAllocationForADelivery) {
  Handlers<> handlers;
  handlers.on_open = [](auto& socket) { (void)socket.subscribe("room"); };
  handlers.on_message = [](auto& socket, const Message& message) {
    socket.publish("room", message);
    socket.publish("room", "hi");
  };
  route("/room", std::move(handlers));
  const std::string message = text(std::string(1024, 'x'));
  std::vector<Peer> peers;
  const auto news_of_one = [&] {
    std::int64_t news = 0;
    for (int i = 0; i < 3; ++i) {
      peers.front().send_without_waiting(message);
      const auto before = allocations();
      idle();
      news = (allocations() - before).news;
      for (std::size_t k = 1; k < peers.size(); ++k) EXPECT_EQ(hear(peers[k]).size(), 1032U);
    }
    return news;
  };
  while (peers.size() < 2) peers.push_back(open("/room"));
  const std::int64_t for_one = news_of_one();
  while (peers.size() < 200) peers.push_back(open("/room"));
  EXPECT_EQ(news_of_one(), for_one);

  // Nor does what one socket is sent then, outside of its handlers.
  const auto news_of_posted = [&] {
    std::int64_t news = 0;
    for (int i = 0; i < 3; ++i) {
      const auto before = allocations();
      websockets.worker(0).first_session_for_test()->send(Opcode::kText, as_bytes("hello"));
      idle();
      news = (allocations() - before).news;
      EXPECT_EQ(hear(peers.front()).size(), 7U);
    }
    return news;
  };
  EXPECT_EQ(news_of_posted(), 0);
}

// delay_write: messages that are collected lie in one block, when that is large enough for them.
TEST_F(SessionCost, OneBlockForAllThatIsCollected) {
  const std::string message(20'000, 'x');  // more than a block has room for, if nobody asks
  constexpr int kMessages = 8;
  std::int64_t news = 0;
  for (const std::size_t buffer : {8U << 10, 256U << 10}) {
    Handlers<> handlers;
    handlers.limits.delay_write = {.enabled = true, .buffer = buffer};
    handlers.on_message = [&news, &message](auto& socket, const Message&) {
      const auto before = allocations();
      for (int i = 0; i < kMessages; ++i) socket.send(message);
      news = (allocations() - before).news;
    };
    route("/" + std::to_string(buffer), std::move(handlers));
  }
  const auto news_with = [&](const std::string& path) {
    Peer peer = open(path);
    tell(peer, text("x"));
    EXPECT_EQ(heard(peer), "") << "it is collected";
    advance(20ms);
    EXPECT_EQ(heard(peer).size(), kMessages * (message.size() + 6));
    return news;
  };
  EXPECT_GE(news_with("/8192"), news_with("/262144") + kMessages - 1);
}

}  // namespace
}  // namespace ssx::websocket::test
