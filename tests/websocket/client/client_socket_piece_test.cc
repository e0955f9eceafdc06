// A ClientSocket that receives messages in pieces.
#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ssxrver/compress/message_deflater.h"
#include "tests/support/feed_every_split.h"
#include "tests/websocket/client/client_fixture.h"
#include "websocket/client/client_socket.h"

namespace ssx::websocket::test {
namespace {

constexpr std::string_view kDeflate =
    "Sec-WebSocket-Extensions: permessage-deflate; server_no_context_takeover; "
    "client_no_context_takeover\r\n";

std::string compressed(std::string_view message) {
  auto deflater = *compress::MessageDeflater::create({});
  std::string packed;
  deflater.write(as_bytes(message), compress::Piece::kLast, packed);
  return packed;
}

class ClientPieces : public ClientTest {
 protected:
  static ClientOptions in_pieces(std::size_t message_max = 1 << 30) {
    ClientOptions wanted = to(kUrl);
    wanted.receive_pieces = true;
    wanted.limits.message_max = wanted.limits.frame_max = message_max;
    wanted.limits.deflate = {.mode = DeflateMode::kReceive, .ratio_max = 10'000};
    return wanted;
  }
  /// Whose server the test plays; `log` begins anew.
  ClientSocket& played(std::string_view lines = "", ClientOptions wanted = in_pieces()) {
    opened.reset();
    log.clear();
    pieces = longest = 0;
    make_client(std::move(wanted));
    open();
    accept(lines);
    EXPECT_TRUE(opened && *opened) << opened->error().message();
    return **opened;
  }
  /// "text hello|", and why there are no more, in the end. Looks at what a piece says of itself.
  Task<> collect(ClientSocket& socket) {
    bool between = true;
    for (;;) {
      const auto piece = co_await socket.receive_piece();
      if (!piece) {
        log += "(" + piece.error().code().message() + ")";
        co_return;
      }
      note(*piece);
      EXPECT_EQ(piece->begins, between);
      between = piece->ends;
    }
  }
  void note(const Piece& piece) {
    ++pieces;
    longest = std::max(longest, piece.payload.size());
    if (piece.begins) log += piece.opcode == Opcode::kText ? "text " : "binary ";
    log += piece.payload;
    if (piece.ends) log += '|';
  }
  /// The next piece as note() has it, or why there is none.
  std::string next(ClientSocket& socket) {
    log.clear();
    const auto got = std::make_shared<std::optional<Result<Piece>>>();
    start(keep(socket.receive_piece(), got));
    if (!*got) return "(waits)";
    if (!**got) return "(" + (*got)->error().code().message() + ")";
    note(***got);
    return log;
  }

  std::string log;
  std::size_t pieces = 0;
  std::size_t longest = 0;
};

TEST_F(ClientPieces, AreTheSameMessagesHoweverTheyAreCut) {
  const std::string bytes = said("one") + said(Opcode::kText, "tw", false) +
                            said(Opcode::kPing, "p") + said(Opcode::kContinuation, "", false) +
                            said(Opcode::kContinuation, "o\xC3", false) +
                            said(Opcode::kContinuation, "\xBC") + said("") +
                            said(Opcode::kBinary, "\xFF") + said_close(1000);
  const std::string all = "text one|text two\xC3\xBC|text |binary \xFF|(not open)";
  for (const bool waits : {true, false}) {
    const auto feed = [&](const ssx::test::Pieces& cut) {
      ClientSocket& socket = played();
      if (waits) start(collect(socket));
      for (const std::string_view piece : cut) reply(piece);
      if (!waits) start(collect(socket));
      idle();
      EXPECT_EQ(log, all);
      EXPECT_EQ(socket.close_code(), CloseCode::kNormal);
    };
    ssx::test::feed_every_split(bytes, feed, {.random = 10});
  }
}

TEST_F(ClientPieces, AreInflatedHoweverTheyAreCut) {
  const std::string message = "again and again " + std::string(40'000, 'x') + "\xC3\xBC";
  const std::string packed = compressed(message);
  const std::string bytes = frame(Opcode::kText, packed, {.compressed = true, .masked = false}) +
                            frame(Opcode::kText, packed.substr(0, 20),
                                  {.fin = false, .compressed = true, .masked = false}) +
                            said(Opcode::kContinuation, packed.substr(20)) + said("plain") +
                            said_close(1000);
  const std::string all = "text " + message + "|text " + message + "|text plain|(not open)";
  for (const bool waits : {true, false}) {
    const auto feed = [&](const ssx::test::Pieces& cut) {
      ClientSocket& socket = played(kDeflate);
      if (waits) start(collect(socket));
      for (const std::string_view piece : cut) reply(piece);
      if (!waits) start(collect(socket));
      idle();
      EXPECT_TRUE(log == all) << log.size();
      EXPECT_LE(longest, 16U << 10);
    };
    ssx::test::feed_every_split(bytes, feed, {.random = 10});
  }
}

TEST_F(ClientPieces, NeedNoMemoryForALongMessage) {
  constexpr std::size_t kSize = 64 << 20;
  ClientSocket& socket = played();
  const std::string some(1 << 20, 'x');
  reply(said(Opcode::kBinary, std::string(kSize, 'x')).substr(0, 10));  // the header alone
  // Nobody receives: so much goes into the buffers of the system, and no more.
  std::size_t sent = 0;
  for (std::size_t more = 1; more > 0; sent += more) {
    more = peer().send_without_waiting(some);
    idle();
  }
  EXPECT_LT(sent, 4U << 20) << "it goes on reading";
  std::size_t bytes = 0;
  bool ends = false;
  while (!ends) {
    const auto got = std::make_shared<std::optional<Result<Piece>>>();
    start(keep(socket.receive_piece(), got));
    ASSERT_TRUE(*got && **got) << bytes;
    bytes += (**got)->payload.size();
    longest = std::max(longest, (**got)->payload.size());
    ends = (**got)->ends;
    const std::size_t left = std::min(kSize - sent, some.size());
    if (left > 0) sent += peer().send_without_waiting(std::string_view(some).substr(0, left));
    idle();
  }
  EXPECT_EQ(bytes, kSize);
  EXPECT_LE(longest, 256U << 10);
}

TEST_F(ClientPieces, AreInflatedNoFasterThanSomebodyReceives) {
  const std::string message(8 << 20, 'x');
  const std::string bytes =
      frame(Opcode::kText, compressed(message), {.compressed = true, .masked = false});
  for (const bool goes : {false, true}) {
    ClientSocket& socket = played(kDeflate);
    reply(bytes);
    if (goes) peer().close();
    advance(20s);
    EXPECT_EQ(client->counters().rested.value(), 1U) << "the first piece, and the rest behind it";
    std::string all;
    while (!all.ends_with('|')) {
      ASSERT_EQ(client->counters().rested.value(), pieces + 1);
      all += next(socket);
    }
    EXPECT_TRUE(all == "text " + message + "|") << all.size();
    EXPECT_GE(pieces, 512U);
    EXPECT_LE(longest, 16U << 10);
    EXPECT_EQ(next(socket), goes ? "(connection lost)" : "(waits)");
  }
}

TEST_F(ClientPieces, EndInTheMiddle) {
  const std::string half =
      said(Opcode::kText, "one ", false) + said(Opcode::kContinuation, "two", false);
  for (const bool waits : {true, false}) {
    for (const std::string_view last : {"nothing", "part", "close", "bad"}) {
      ClientSocket& socket = played();
      if (waits) start(collect(socket));
      reply(half);
      if (last == "part") reply(said(Opcode::kContinuation, "three").substr(0, 5));
      if (last == "close") reply(said_close(1001));
      if (last == "bad") reply(said("another"));
      if (last != "bad" && last != "close") peer().close();
      idle();
      if (!waits) start(collect(socket));
      idle();
      const std::string why = last == "close" ? "(not open)"
                              : last == "bad" ? "(message inside another one)"
                                              : "(connection lost)";
      EXPECT_EQ(log, "text one two" + std::string(last == "part" ? "thr" : "") + why) << waits;
      EXPECT_EQ(next(socket), why) << "once more";
    }
  }
}

TEST_F(ClientPieces, EndWhereTheTextDoes) {
  ClientSocket& socket = played();
  reply(said(Opcode::kText, "\xC3", false) + said(Opcode::kContinuation, "x"));
  EXPECT_EQ(next(socket), "text \xC3");
  EXPECT_EQ(next(socket), "(text is not UTF-8)");
  EXPECT_EQ(show_masked(peer().read_available()), "close 1007 text is not UTF-8|");
}

TEST_F(ClientPieces, HaveTheBoundOfTheirMessage) {
  for (const bool packs : {false, true}) {
    for (const std::size_t size : {49'999U, 50'000U, 50'001U}) {
      ClientSocket& socket = played(packs ? kDeflate : "", in_pieces(50'000));
      start(collect(socket));
      const std::string message(size, 'x');
      const auto begin = said(Opcode::kText, message.substr(0, 49'000), false);
      reply(packs ? frame(Opcode::kText, compressed(message), {.compressed = true, .masked = false})
                  : begin + said(Opcode::kContinuation, message.substr(49'000)));
      if (size <= 50'000) {
        EXPECT_TRUE(log == "text " + message + "|") << packs << size;
      } else {
        EXPECT_TRUE(log.ends_with("x(message too long)")) << packs << log.size();
        EXPECT_EQ(show_masked(peer().read_available()), "close 1009 message too long|");
      }
    }
  }
}

TEST_F(ClientPieces, ArePutTogetherByReceive) {
  ClientSocket& socket = played();
  const std::string message = said(Opcode::kText, "one ", false) +
                              said(Opcode::kContinuation, "two ", false) +
                              said(Opcode::kContinuation, "three");
  reply(message + said(Opcode::kBinary, "whole") + message + said(""));
  EXPECT_EQ(receive(socket), "text one two three");
  EXPECT_EQ(receive(socket), "binary whole");
  EXPECT_EQ(next(socket), "text one ");
  EXPECT_EQ(receive(socket), "text two three") << "what is left";
  EXPECT_EQ(receive(socket), "text ");
  reply(said(Opcode::kText, "cut ", false));
  const auto got = std::make_shared<std::optional<Result<Message>>>();
  start(keep(socket.receive(), got));
  EXPECT_FALSE(*got);
  reply(said(Opcode::kContinuation, "short"));
  ASSERT_TRUE(*got && **got);
  EXPECT_EQ((**got)->payload, "cut short");
}

TEST_F(ClientPieces, AreWholeMessagesUnlessTheyAreAskedFor) {
  ClientSocket& socket = played("", to(kUrl));
  reply(said(Opcode::kText, "one ", false) + said(Opcode::kContinuation, "two") + said(""));
  EXPECT_EQ(next(socket), "text one two|");
  EXPECT_EQ(next(socket), "text |");
}

TEST_F(ClientPieces, StayThereUntilTheNextCall) {
  ClientSocket& socket = played();
  reply(said(Opcode::kText, "first", false) + said(Opcode::kContinuation, "second", false));
  std::optional<Result<Piece>> first;
  start(store(socket.receive_piece(), first));
  ASSERT_TRUE(first && *first);
  const std::string_view view = (*first)->payload;
  idle();
  EXPECT_EQ(view, "first");
}

TEST_F(ClientPieces, AreDroppedByAClose) {
  for (const bool packs : {false, true}) {
    ClientSocket& socket = played(packs ? kDeflate : "");
    const std::string message(100'000, 'x');
    reply(packs ? frame(Opcode::kText, compressed(message), {.compressed = true, .masked = false})
                : said(Opcode::kText, "first", false) + said(Opcode::kContinuation, "second"));
    bool closed = false;
    start(await(socket.close(), closed));
    EXPECT_FALSE(closed);
    EXPECT_EQ(show_masked(peer().read_available()), "close 1000 |");
    reply(said_close(1000));
    EXPECT_TRUE(closed);
    EXPECT_NE(next(socket), "(not open)") << "what nobody has taken";
    EXPECT_EQ(next(socket), "(not open)");
    peer().close();
    idle();
    EXPECT_TRUE(client_table->empty());
  }
}

TEST_F(ClientPieces, GoWithTheirSocket) {
  played(kDeflate);
  reply(frame(Opcode::kText, compressed(std::string(100'000, 'x')),
              {.compressed = true, .masked = false}));
  expect_goodbye();
}

}  // namespace
}  // namespace ssx::websocket::test
