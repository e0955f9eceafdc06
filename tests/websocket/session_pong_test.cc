// Pongs: who hears of them, and what they count for all the same.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/websocket/session_fixture.h"

namespace ssx::websocket::test {
namespace {

class SessionPongs : public WebSocketTest {
 protected:
  static std::string pong(std::string_view payload) { return frame(Opcode::kPong, payload); }

  /// Pings twice at once, and once for each message; what on_pong is told is in `told`.
  Peer begin(bool ignore_pong) {
    route("/", {.limits = {.ignore_pong = ignore_pong},
                .on_open =
                    [](auto& socket) {
                      socket.ping("1");
                      socket.ping("2");
                    },
                .on_message = [](auto& socket, const Message&) { socket.ping("3"); },
                .on_pong = [this](auto&, std::string_view said) { told.emplace_back(said); }});
    Peer peer = open("/");
    EXPECT_EQ(heard(peer), "ping 1|ping 2|");
    return peer;
  }
  std::vector<std::string> told;
};

TEST_F(SessionPongs, AreToldWhenTheyAnswerAPing) {
  Peer peer = begin(true);
  EXPECT_EQ(say(peer, pong("1") + pong("2") + pong("unasked")), "");
  EXPECT_EQ(say(peer, text("again")), "ping 3|");
  EXPECT_EQ(say(peer, pong("3") + pong("unasked")), "");
  EXPECT_EQ(told, (std::vector<std::string>{"1", "2", "3"}));
}

TEST_F(SessionPongs, AreAllToldWhereThatIsWanted) {
  Peer peer = begin(false);
  EXPECT_EQ(say(peer, pong("1") + pong("2") + pong("unasked")), "");
  EXPECT_EQ(told, (std::vector<std::string>{"1", "2", "unasked"}));
}

// A heartbeat of the peer's own (RFC 6455 5.5.3): the handler hears nothing of it, the times do.
TEST_F(SessionPongs, AreASignOfLifeWhetherOrNotTheyAreTold) {
  route("/quiet", {.limits = {.ping_interval = 10s, .read_timeout = 15s}});
  Peer peer = open("/quiet");
  for (int i = 0; i < 5; ++i) {
    advance(9s);
    EXPECT_EQ(say(peer, pong("")), "");
  }
  advance(10s + 100ms);
  EXPECT_EQ(heard(peer), "ping |");
}

}  // namespace
}  // namespace ssx::websocket::test
