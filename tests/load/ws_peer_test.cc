// A load of WebSockets against servers that do as a test wants.
#include "ssxrver/load/ws_peer.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <string>

#include "ssxrver/load/client_frame.h"
#include "ssxrver/load/plan_run.h"
#include "ssxrver/load/ws_command.h"
#include "tests/load/fake_server.h"
#include "tests/load/measured.h"
#include "tests/load/ws_visit.h"

namespace ssx::load {
namespace {

using std::chrono::milliseconds;
using test::accept;
using test::client_frame_bytes;
using test::count;
using test::expect_all_well;
using test::expect_sent;
using test::FakeServer;
using test::frame;
using test::measured;
using test::shake_hands;
using test::Visit;

class WsLoads : public testing::Test {
 protected:
  Outcome run(const FakeServer& server, Duration time = milliseconds(200)) {
    options.url = "ws://" + server.address().to_string() + "/";
    const auto plan = make_plan(options);
    EXPECT_TRUE(plan) << plan.error().text();
    return measured(*plan, peer_loads(*plan, make_ws_peers(*plan)), time);
  }
  [[nodiscard]] std::string echo() const { return frame(std::string(options.size, 'e')); }
  [[nodiscard]] std::size_t message_bytes() const { return client_frame_bytes(options.size); }

  WsOptions options = [] {
    WsOptions made;
    made.connections = 3;
    made.size = 16;
    return made;
  }();
};

TEST_F(WsLoads, SendAMessageWhenTheLastHasComeBack) {
  const FakeServer server([this](Visit& visit) {
    if (!shake_hands(visit)) return;
    while (visit.read_bytes(message_bytes())) visit.send(echo());
  });
  const Outcome outcome = run(server);
  expect_all_well(outcome);
  EXPECT_EQ(server.visits(), 3);
}

TEST_F(WsLoads, SendSeveralAtOnceAndReadHoweverTheyAreCut) {
  options.depth = 3;
  options.size = 200;
  const FakeServer server([this](Visit& visit) {
    if (!shake_hands(visit)) return;
    const std::string answers = echo() + echo() + echo();
    for (std::size_t cut = 1; visit.read_bytes(3 * message_bytes()); cut = cut % 20 + 1) {
      visit.send(std::string_view(answers).substr(0, cut));
      visit.pause(milliseconds(1));
      visit.send(std::string_view(answers).substr(cut));
    }
  });
  const Outcome outcome = run(server);
  expect_all_well(outcome);
}

TEST_F(WsLoads, TakeFragmentsAndAnswerPings) {
  std::atomic<int> pongs = 0;
  const FakeServer server([this, &pongs](Visit& visit) {
    if (!shake_hands(visit)) return;
    const std::string pong = make_client_frame(websocket::Opcode::kPong, true, "hey");
    while (visit.read_bytes(message_bytes())) {
      visit.send(std::string("\x02\x06", 2) + "eeeeee");
      visit.send(std::string("\x89\x03", 2) + "hey");
      if (!visit.read_bytes(pong.size())) return;
      ++pongs;
      visit.send(std::string("\x80\x0a", 2) + "eeeeeeeeee");
    }
  });
  const Outcome outcome = run(server);
  expect_all_well(outcome);
  EXPECT_GT(pongs, 10);
}

TEST_F(WsLoads, MakeAWebSocketForEachMessage) {
  options.each = true;
  const FakeServer server([this](Visit& visit) {
    if (!shake_hands(visit) || !visit.read_bytes(message_bytes())) return;
    visit.send(echo());
    const std::string closing = make_client_frame(websocket::Opcode::kClose, true, "12");
    if (visit.read_bytes(closing.size())) visit.send(std::string("\x88\x02\x03\xe8", 4));
  });
  const Outcome outcome = run(server);
  expect_all_well(outcome);
  EXPECT_GE(static_cast<std::uint64_t>(server.visits()), outcome.tally.answered);
}

TEST_F(WsLoads, HoldConnectionsThatSayNothingAfterOneEcho) {
  options.idle = true;
  std::atomic<int> said = 0;
  const FakeServer server([this, &said](Visit& visit) {
    if (!shake_hands(visit) || !visit.read_bytes(message_bytes())) return;
    visit.send(echo());
    while (visit.read_bytes(1)) ++said;
  });
  const Outcome outcome = run(server);
  EXPECT_EQ(said, 0);
  EXPECT_EQ(outcome.tally.answered, 0U);
  EXPECT_EQ(outcome.tally.unfinished, 3U);
  EXPECT_EQ(outcome.tally.failed(), 0U);
  EXPECT_EQ(server.visits(), 3);
}

TEST_F(WsLoads, CountAnIdleConnectionThatIsClosed) {
  options.idle = true;
  const FakeServer server([this](Visit& visit) {
    if (!shake_hands(visit) || !visit.read_bytes(message_bytes())) return;
    visit.send(echo());
    visit.pause(milliseconds(60));
  });
  EXPECT_GT(count(run(server), Failure::kClosed), 0U);
}

TEST_F(WsLoads, SendALongMessageInFrames) {
  options.bytes = 100;
  std::atomic<int> messages = 0;
  const FakeServer server([&messages](Visit& visit) {
    if (!shake_hands(visit)) return;
    const std::size_t bytes = 6 * client_frame_bytes(16) + client_frame_bytes(4);
    for (; visit.read_bytes(bytes); ++messages) visit.send(frame("100"));
  });
  const Outcome outcome = run(server);
  expect_all_well(outcome);
  EXPECT_GE(static_cast<std::uint64_t>(messages), outcome.tally.answered);
  expect_sent(outcome, 100);
}

TEST_F(WsLoads, CountAHandshakeThatIsRefused) {
  options.each = true;
  const FakeServer server([](Visit& visit) {
    if (!visit.read_request().empty())
      visit.send("HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n");
  });
  const Outcome outcome = run(server);
  EXPECT_EQ(outcome.tally.answered, 0U);
  EXPECT_GT(count(outcome, Failure::kStatus), 0U);
}

TEST_F(WsLoads, CountAHandshakeThatIsNone) {
  options.each = true;
  const FakeServer server([](Visit& visit) {
    if (!visit.read_request().empty())
      visit.send(accept("Sec-WebSocket-Key: another key's answer...."));
  });
  EXPECT_GT(count(run(server), Failure::kMalformed), 0U);
}

TEST_F(WsLoads, CountAnEchoOfAnotherLength) {
  const FakeServer server([this](Visit& visit) {
    if (shake_hands(visit) && visit.read_bytes(message_bytes())) visit.send(frame("short"));
  });
  EXPECT_GT(count(run(server), Failure::kMalformed), 0U);
}

TEST_F(WsLoads, CountAServerThatCloses) {
  const FakeServer server([this](Visit& visit) {
    if (shake_hands(visit) && visit.read_bytes(message_bytes()))
      visit.send(std::string("\x88\x02\x03\xe9", 4));
  });
  EXPECT_GT(count(run(server), Failure::kClosed), 0U);
}

}  // namespace
}  // namespace ssx::load
