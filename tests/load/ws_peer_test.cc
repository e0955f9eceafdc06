// A load of WebSockets against servers that do as a test wants.
#include "ssxrver/load/ws_peer.h"

#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <string>

#include "ssxrver/base/bytes.h"
#include "ssxrver/load/crew.h"
#include "ssxrver/load/peer_load.h"
#include "ssxrver/load/ws_command.h"
#include "tests/load/fake_server.h"
#include "websocket/frame_writer.h"
#include "websocket/handshake_key.h"

namespace ssx::load {
namespace {

using std::chrono::milliseconds;
using test::FakeServer;
using test::Visit;

/// The answer to a handshake.
std::string accept(const std::string& request) {
  constexpr std::string_view kName = "Sec-WebSocket-Key: ";
  const auto at = request.find(kName) + kName.size();
  const auto key = websocket::accept_key(request.substr(at, 24));
  return "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
         "Sec-WebSocket-Accept: " +
         std::string(key.data(), key.size()) + "\r\n\r\n";
}

/// False: nobody was there.
bool shake_hands(Visit& visit) {
  const std::string request = visit.read_request();
  if (request.empty()) return false;
  visit.send(accept(request));
  return true;
}

class WsLoads : public testing::Test {
 protected:
  Outcome run(const FakeServer& server, Duration time = milliseconds(200)) {
    options.url = "ws://" + server.address().to_string() + "/";
    const auto plan = make_plan(options);
    EXPECT_TRUE(plan) << plan.error().text();
    const MakePeers make_peers = make_ws_peers(*plan);
    const auto make_load = [&](net::EventLoop& loop, std::uint32_t index) {
      return std::make_unique<PeerLoad>(loop, *plan, make_peers(loop), index);
    };
    const std::atomic<bool> never{false};
    const auto outcome = Crew::run(
        {.open_timeout = milliseconds(500), .warm_up = milliseconds(20), .time = time}, make_load,
        [](const Progress&) {}, never);
    EXPECT_TRUE(outcome);
    const Tally& tally = outcome->tally;
    EXPECT_EQ(tally.begun(), tally.answered + tally.failed() + tally.unfinished);
    return *outcome;
  }
  static std::uint64_t count(const Outcome& outcome, Failure failure) {
    return outcome.tally.failures[static_cast<std::size_t>(failure)];
  }
  /// A server's.
  static std::string frame(const std::string& payload) {
    return websocket::make_frame(websocket::Opcode::kBinary, as_bytes(payload));
  }
  [[nodiscard]] std::string echo() const { return frame(std::string(options.size, 'e')); }
  /// What each message of the client has for bytes.
  [[nodiscard]] std::size_t message_bytes() const {
    return make_client_frame(websocket::Opcode::kBinary, std::string(options.size, 'e')).size();
  }

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
  EXPECT_GT(outcome.tally.answered, 10U);
  EXPECT_EQ(outcome.tally.failed(), 0U);
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
  EXPECT_GT(outcome.tally.answered, 10U);
  EXPECT_EQ(outcome.tally.failed(), 0U);
}

TEST_F(WsLoads, TakeFragmentsAndAnswerPings) {
  std::atomic<int> pongs = 0;
  const FakeServer server([this, &pongs](Visit& visit) {
    if (!shake_hands(visit)) return;
    const std::string pong = make_client_frame(websocket::Opcode::kPong, "hey");
    while (visit.read_bytes(message_bytes())) {
      visit.send(std::string("\x02\x06", 2) + "eeeeee");
      visit.send(std::string("\x89\x03", 2) + "hey");
      if (!visit.read_bytes(pong.size())) return;
      ++pongs;
      visit.send(std::string("\x80\x0a", 2) + "eeeeeeeeee");
    }
  });
  const Outcome outcome = run(server);
  EXPECT_GT(outcome.tally.answered, 10U);
  EXPECT_EQ(outcome.tally.failed(), 0U);
  EXPECT_GT(pongs, 10);
}

TEST_F(WsLoads, MakeAWebSocketForEachMessage) {
  options.each = true;
  const FakeServer server([this](Visit& visit) {
    if (!shake_hands(visit) || !visit.read_bytes(message_bytes())) return;
    visit.send(echo());
    const std::string closing = make_client_frame(websocket::Opcode::kClose, "12");
    if (visit.read_bytes(closing.size())) visit.send(std::string("\x88\x02\x03\xe8", 4));
  });
  const Outcome outcome = run(server);
  EXPECT_GT(outcome.tally.answered, 10U);
  EXPECT_EQ(outcome.tally.failed(), 0U);
  EXPECT_GE(static_cast<std::uint64_t>(server.visits()), outcome.tally.answered);
}

TEST_F(WsLoads, HoldConnectionsThatSayNothing) {
  options.idle = true;
  const FakeServer server([](Visit& visit) {
    if (shake_hands(visit)) (void)visit.read_bytes(1);
  });
  const Outcome outcome = run(server);
  EXPECT_EQ(outcome.tally.unfinished, 3U);
  EXPECT_EQ(outcome.tally.failed(), 0U);
  EXPECT_EQ(server.visits(), 3);
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
