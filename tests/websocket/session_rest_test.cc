// When a session has nothing to remember, and gives back what it remembered with.
#include <gtest/gtest.h>

#include <string>

#include "tests/websocket/session_fixture.h"
#include "websocket/session.h"

namespace ssx::websocket::test {
namespace {

class SessionRest : public WebSocketTest {
 protected:
  [[nodiscard]] bool rests() {
    return websockets.worker(0).first_session_for_test()->rests_for_test();
  }
  Echo echo;
};

TEST_F(SessionRest, FromTheBeginningAndAfterEachEcho) {
  route("/echo", echo.handlers());
  Peer peer = open("/echo");
  EXPECT_TRUE(rests());
  for (const std::size_t size : {0U, 5U, 300U, 20'000U}) {
    EXPECT_FALSE(say(peer, text(std::string(size, 'x'))).empty());
    EXPECT_TRUE(rests()) << size;
  }
}

TEST_F(SessionRest, NotWithinAMessage) {
  route("/echo", echo.handlers());
  Peer peer = open("/echo");
  const std::string frames = fragments({"one", "two", "three"});
  for (std::size_t sent = 1; sent <= frames.size(); ++sent) {
    EXPECT_EQ(say(peer, frames.substr(sent - 1, 1)).empty(), sent < frames.size());
  }
  EXPECT_TRUE(rests());
  (void)say(peer, frames.substr(0, frames.size() - 1));
  EXPECT_FALSE(rests());
  (void)say(peer, frames.substr(frames.size() - 1));
  EXPECT_TRUE(rests());
  EXPECT_EQ(counts().messages_in.value(), 2U);
}

// The rate of control frames is not to be had anew by resting in between.
TEST_F(SessionRest, APingIsRememberedUntilTheRateHasForgottenIt) {
  route("/echo", echo.handlers({.control_rate = {1, 1s, 1}}));
  Peer peer = open("/echo");
  (void)say(peer, ping("a"));
  EXPECT_FALSE(rests());
  advance(1s + 2 * net::TimerWheel::kTick);
  EXPECT_TRUE(rests());
  EXPECT_EQ(failed(Errc::kControlRate), 0U);
  (void)say(peer, ping("b"));
  (void)say(peer, ping("c"));
  EXPECT_EQ(failed(Errc::kControlRate), 1U);
}

TEST_F(SessionRest, NotWhileItSubscribes) {
  Handlers<> handlers;
  handlers.on_message = [](auto& socket, const Message& message) {
    message.payload == "come" ? (void)socket.subscribe("room") : (void)socket.unsubscribe("room");
  };
  route("/room", std::move(handlers));
  Peer peer = open("/room");
  (void)say(peer, text("come"));
  EXPECT_FALSE(rests());
  (void)say(peer, text("leave"));
  EXPECT_TRUE(rests());
}

TEST_F(SessionRest, ALifetimeIsRemembered) {
  route("/echo", echo.handlers({.max_lifetime = 1h}));
  Peer peer = open("/echo");
  EXPECT_FALSE(rests());
}

// The sessions of a route share what leads to it, and it ends with the last of them.
TEST_F(SessionRest, ARouteIsHeldByItsSessions) {
  route("/echo", echo.handlers());
  Peer one = open("/echo");
  Peer two = open("/echo");
  Session& session = *websockets.worker(0).first_session_for_test();
  EXPECT_EQ(&session.state(), &websockets.worker(0));
  for (Peer* peer : {&one, &two}) (void)say(*peer, closing(1000));
  EXPECT_EQ(websockets.worker(0).first_session_for_test(), nullptr);
  Peer three = open("/echo");
  (void)say(three, text("again"));
  EXPECT_TRUE(rests());
}

}  // namespace
}  // namespace ssx::websocket::test
