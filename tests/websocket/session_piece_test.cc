// Messages in pieces that a coroutine handles: their order, what is held back meanwhile, the times.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "ssxrver/compress/message_deflater.h"
#include "ssxrver/net/awaitables.h"
#include "ssxrver/net/timer_wheel.h"
#include "tests/support/feed_every_split.h"
#include "tests/websocket/session_fixture.h"
#include "websocket/session.h"

namespace ssx::websocket::test {
namespace {

constexpr std::string_view kOffer = "Sec-WebSocket-Extensions: permessage-deflate\r\n";
constexpr Duration kTick = 2 * net::TimerWheel::kTick;

std::string compressed(std::string_view message) {
  auto deflater = *compress::MessageDeflater::create({});
  std::string packed;
  deflater.write(as_bytes(message), compress::Piece::kLast, packed);
  return frame(Opcode::kText, packed, {.compressed = true});
}

class SessionPieces : public WebSocketTest {
 protected:
  /// Takes so long for each piece, and sends each whole message back.
  void slow_route(Duration takes, Options limits = {}) {
    limits.control_rate = {};
    route("/",
          Handlers<std::string>{
              .limits = std::move(limits),
              .on_piece = [this, takes](WebSocket<std::string>& socket,
                                        const Piece& piece) -> Task<> {
                EXPECT_EQ(piece.begins, at_start);
                at_start = piece.ends;
                longest = std::max(longest, piece.payload.size());
                ++pieces;
                co_await net::sleep_for(takes);
                *socket += piece.payload;
                if (piece.ends) socket.send(std::exchange(*socket, {}));
              },
              .on_error = [this](auto&,
                                 const Error& error) { errors.push_back(error.code().message()); },
              .on_close = [this](auto&, CloseCode code,
                                 std::string_view) { ends.push_back(to_int(code)); }});
  }
  /// What it says in the end, when all pieces have been handled one after the other.
  std::string heard_later(Peer& peer) {
    std::string all = hear(peer);
    for (std::size_t before = SIZE_MAX; before != pieces;) {
      before = pieces;
      advance(1ms);
      all += hear(peer);
    }
    return show(all);
  }

  bool at_start = true;
  std::size_t pieces = 0;
  std::size_t longest = 0;
  std::vector<std::string> errors;
  std::vector<int> ends;
};

TEST_F(SessionPieces, KeepTheirOrderHoweverTheyAreCut) {
  slow_route(1ms);
  const std::string bytes = fragments({"ab", "", "\xC3",
                                       "\xBC"
                                       "c"}) +
                            ping("p") + text("") + binary("d");
  for (const bool comes_while_busy : {false, true}) {
    const auto tell_all = [&](const ssx::test::Pieces& cut) {
      Peer peer = open("/");
      std::string all;
      for (const std::string_view piece : cut) {
        tell(peer, piece);
        if (!comes_while_busy) all += heard_later(peer);
      }
      all += heard_later(peer);
      EXPECT_EQ(all,
                "text ab\xC3\xBC"
                "c|pong p|text |text d|");
    };
    ssx::test::feed_every_split(bytes, tell_all, {.random = 10});
  }
}

TEST_F(SessionPieces, AreInflatedNoFasterThanTheyAreHandled) {
  Options limits;
  limits.message_max = limits.backpressure.max = 10 << 20;
  limits.deflate = {.mode = DeflateMode::kReceive, .ratio_max = 10'000};
  slow_route(1ms, limits);
  const std::string message(1 << 20, 'x');
  Peer peer = open("/", kOffer);
  tell(peer, compressed(message) + text("then"));
  EXPECT_EQ(pieces, 1U);
  advance(1ms);
  EXPECT_EQ(pieces, 2U);
  EXPECT_EQ(heard_later(peer), "text " + message + "|text then|");
  EXPECT_GE(pieces, 65U);
  EXPECT_LE(longest, 16U << 10);
}

TEST_F(SessionPieces, AreBoundedAsAWhole) {
  Options limits;
  limits.message_max = 100'000;
  limits.deflate = {.mode = DeflateMode::kReceive, .ratio_max = 10'000};
  slow_route(1ms, limits);
  for (const std::size_t size : {99'999U, 100'000U, 100'001U}) {
    pieces = 0;
    at_start = true;
    Peer peer = open("/", kOffer);
    const std::string message(size, 'x');
    tell(peer, compressed(message));
    EXPECT_EQ(heard_later(peer),
              size <= 100'000 ? "text " + message + "|" : "close 1009 message too long|");
    EXPECT_GT(pieces, 5U) << "the beginning has been handed on";
  }
}

TEST_F(SessionPieces, TakeNoTimeOfThePeers) {
  Options limits;
  limits.assembly_timeout = 10s;
  slow_route(8s, limits);
  Peer peer = open("/");
  tell(peer, frame(Opcode::kText, "one", {.fin = false}));
  advance(8s);  // that was the handler's time
  advance(5s);
  tell(peer, frame(Opcode::kContinuation, "two", {.fin = false}));
  EXPECT_EQ(pieces, 2U);
  advance(8s);
  advance(5s - 1ms);
  EXPECT_TRUE(errors.empty());
  advance(1ms + kTick);
  EXPECT_EQ(errors, std::vector<std::string>{"message took too long"});
}

TEST_F(SessionPieces, CancelTheirCoroutineWithThePeer) {
  Options limits;
  limits.deflate = {.mode = DeflateMode::kReceive, .ratio_max = 10'000};
  slow_route(1h, limits);
  for (const bool is_held : {false, true}) {
    at_start = true;
    Peer peer = open("/", kOffer);
    tell(peer, is_held ? compressed(std::string(100'000, 'x')) : text("x"));
    const std::size_t before = pieces;
    if (is_held) {
      websockets.worker(0).first_session_for_test()->close(CloseCode::kGoingAway, {});
      EXPECT_EQ(heard(peer), "close 1001 |");
    } else {
      peer.close();
    }
    idle();
    advance(2h);
    EXPECT_EQ(pieces, before);
  }
  EXPECT_EQ(ends, (std::vector<int>{1006, 1006}));
  EXPECT_TRUE(table->empty());
}

}  // namespace
}  // namespace ssx::websocket::test
