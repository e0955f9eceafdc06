// Sessions with permessage-deflate (RFC 7692).
#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "ssxrver/compress/message_deflater.h"
#include "ssxrver/compress/message_inflater.h"
#include "tests/support/full_size.h"
#include "tests/support/resident_bytes.h"
#include "tests/support/sample_text.h"
#include "tests/websocket/session_fixture.h"
#include "websocket/session.h"

namespace ssx::websocket::test {
namespace {

class SessionDeflate : public WebSocketTest {
 protected:
  static constexpr std::string_view kOffer = "Sec-WebSocket-Extensions: permessage-deflate\r\n";

  Peer begin(DeflateMode mode, std::size_t message_max = 1 << 20) {
    Options limits;
    limits.message_max = message_max;
    limits.deflate.mode = mode;
    limits.deflate.min_size = 20;
    route("/echo", echo.handlers(limits));
    return open("/echo", kOffer);
  }
  static std::string packed(std::string_view message) {
    auto deflater = *compress::MessageDeflater::create({});
    std::string out;
    deflater.write(as_bytes(message), compress::Piece::kLast, out);
    return out;
  }
  static std::string compressed(std::string_view message) {
    return frame(Opcode::kText, packed(message), {.compressed = true});
  }
  Echo echo;
};

TEST_F(SessionDeflate, ReadsAndWritesCompressedMessages) {
  Peer peer = begin(DeflateMode::kBoth);
  EXPECT_TRUE(answer.field("Sec-WebSocket-Extensions").starts_with("permessage-deflate"));
  const std::string message(1000, 'a');
  tell(peer, compressed(message));
  const std::string said = hear(peer);
  EXPECT_LT(said.size(), 100U);
  const auto decoded = decode_header(as_bytes(said), Role::kClient, true);
  ASSERT_GT(decoded.size, 0U);
  EXPECT_TRUE(decoded.header.compressed);
  auto inflater = *compress::MessageInflater::create(15, {});
  std::string back;
  ASSERT_TRUE(inflater.read(as_bytes(said).subspan(decoded.size), compress::Piece::kLast, back));
  EXPECT_EQ(back, message);
  EXPECT_EQ(say(peer, text("plain")), "text plain|");
  EXPECT_EQ(say(peer, compressed("short")), "text short|") << "shorter than min_size";
}

TEST_F(SessionDeflate, ReadsOnlyWhereThatIsWanted) {
  Peer peer = begin(DeflateMode::kReceive);
  const std::string message(1000, 'a');
  EXPECT_EQ(say(peer, compressed(message)), "text " + message + "|");
}

TEST_F(SessionDeflate, PutsCompressedFragmentsTogether) {
  Peer peer = begin(DeflateMode::kReceive);
  const std::string message = "fragments of one compressed message";
  const std::string bytes = packed(message);
  EXPECT_EQ(say(peer, frame(Opcode::kText, bytes.substr(0, 5), {.fin = false, .compressed = true}) +
                          frame(Opcode::kContinuation, bytes.substr(5, 7), {.fin = false}) +
                          frame(Opcode::kContinuation, bytes.substr(12))),
            "text " + message + "|");
}

// B11: the length counts inflated, whatever the frame says.
TEST_F(SessionDeflate, B11BoundsAMessageByWhatItIsInflated) {
  Peer peer = begin(DeflateMode::kReceive, 1000);
  EXPECT_EQ(say(peer, compressed(std::string(999, 'x'))), "text " + std::string(999, 'x') + "|");
  EXPECT_EQ(say(peer, compressed(std::string(1000, 'x'))), "text " + std::string(1000, 'x') + "|");
  EXPECT_EQ(say(peer, compressed(std::string(1001, 'x'))), "close 1009 message too long|");
}

// What is said by SIZE_MAX must not begin at zero again.
TEST_F(SessionDeflate, TakesWhatHasNoBoundAtAll) {
  constexpr std::size_t kNone = std::numeric_limits<std::size_t>::max();
  Peer peer = begin(DeflateMode::kReceive, kNone);
  const std::string long_text = ssx::test::sample_text(300'000);
  EXPECT_EQ(say(peer, compressed(long_text)), "text " + long_text + "|");
  EXPECT_EQ(say(peer, fragments({long_text, "y"})), "text " + long_text + "y|");
}

class Bombs : public SessionDeflate {
 protected:
  static constexpr std::size_t kLimit = 16 << 20;

  /// A frame that is inflated to so many bytes.
  static std::string bomb(std::size_t size) {
    static const std::string kMegabyte(1 << 20, '\0');
    auto deflater = *compress::MessageDeflater::create({});
    std::string out;
    for (std::size_t left = size; left > 0;) {
      const std::size_t some = std::min(left, kMegabyte.size());
      left -= some;
      deflater.write(as_bytes(std::string_view(kMegabyte).substr(0, some)),
                     left == 0 ? compress::Piece::kLast : compress::Piece::kMore, out);
    }
    return frame(Opcode::kBinary, out, {.compressed = true});
  }
  Peer begin_limited() {
    Options limits;
    limits.message_max = kLimit;
    limits.frame_max = 4 << 20;
    limits.deflate = {.mode = DeflateMode::kReceive, .ratio_max = 10'000};
    Handlers<> handlers = echo.handlers(limits);
    handlers.on_message = [](auto& socket, const Message& message) {
      socket.send(std::to_string(message.payload.size()));
    };
    handlers.on_error = [this](auto&, const Error&) { at_the_end = ssx::test::resident_bytes(); };
    route("/size", std::move(handlers));
    return open("/size", kOffer);
  }
  std::size_t at_the_end = 0;
};

// A sanitizer's realloc() copies, and keeps what it has freed: what doubling takes, twice.
TEST_F(Bombs, B11CostNoMoreThanAMessageThatIsAllowed) {
  const std::string bytes = bomb(ssx::test::full_size<std::size_t>(128 << 20, 1 << 30));
  Peer peer = begin_limited();
  const std::size_t before = ssx::test::resident_bytes();
  EXPECT_EQ(say(peer, bytes), "close 1009 message too long|");
  ASSERT_GT(at_the_end, 0U);
  EXPECT_LE(at_the_end, before + 4 * kLimit);
}

// What is reserved for the longest message is kept for the next one: that tells how much it was.
TEST_F(Bombs, B11OfTheLimitReserveNoMoreThanThat) {
  Peer peer = begin_limited();
  EXPECT_EQ(say(peer, bomb(kLimit)), "text 16777216|");
  MessageBuffer next;
  websockets.worker(0).prepare(next, kLimit);
  EXPECT_GE(next.capacity(), kLimit);
  EXPECT_LE(next.capacity(), kLimit + (64 << 10));
}

// Within a frame, and between two of a message: its context is lent again.
TEST_F(SessionDeflate, B11AResetInMidStreamLeavesNothingBehind) {
  const std::string coded = packed(ssx::test::sample_text(20'000));
  const std::string whole = frame(Opcode::kText, coded, {.compressed = true});
  const std::string first =
      frame(Opcode::kText, std::string_view(coded).substr(0, coded.size() / 2),
            {.fin = false, .compressed = true});
  Peer other = begin(DeflateMode::kReceive);
  const std::string_view begun[] = {std::string_view(whole).substr(0, 9),
                                    std::string_view(whole).substr(0, whole.size() / 2),
                                    std::string_view(whole).substr(0, whole.size() - 1), first};
  for (const std::string_view bytes : begun) {
    Peer peer = connect_tcp();
    tell(peer, handshake("/echo", kOffer));
    EXPECT_EQ(peer.read_response().status, 101);
    EXPECT_EQ(say(peer, bytes), "");
    echo.ends.clear();
    peer.reset();
    idle();
    EXPECT_EQ(echo.ends, std::vector<std::string>{"1006 "}) << bytes.size();
    Peer next = open("/echo", kOffer);
    EXPECT_EQ(say(next, compressed("next")), "text next|");
  }
  idle();
  EXPECT_EQ(counts().open.value(), 1);
  EXPECT_EQ(say(other, compressed("other")), "text other|");
}

TEST_F(SessionDeflate, RefusesWhatIsNotCompressedOrNoText) {
  const auto end_of = [this](std::string_view bytes) {
    Peer peer = begin(DeflateMode::kReceive);
    return say(peer, bytes);
  };
  EXPECT_EQ(end_of(frame(Opcode::kText, "\xFF\xFF\xFF\xFF", {.compressed = true})),
            "close 1007 malformed compressed message|");
}

TEST_F(SessionDeflate, JudgesTheTextAndNotItsBytes) {
  Peer peer = begin(DeflateMode::kReceive);
  EXPECT_EQ(say(peer, compressed("\xFF")), "close 1007 text is not UTF-8|");
}

TEST_F(SessionDeflate, HandsOnPiecesOfCompressedMessages) {
  Options limits;
  limits.message_max = 100 << 20;
  limits.deflate = {.mode = DeflateMode::kReceive, .ratio_max = 10'000};
  std::size_t bytes = 0;
  std::size_t pieces = 0;
  route("/sink", {.limits = limits, .on_piece = [&](auto& socket, const Piece& piece) {
                    EXPECT_EQ(piece.begins, pieces == 0);
                    bytes += piece.payload.size();
                    ++pieces;
                    if (piece.ends) socket.send(std::to_string(bytes));
                  }});
  Peer peer = open("/sink", kOffer);
  EXPECT_EQ(say(peer, compressed(std::string(10 << 20, 'x'))), "text 10485760|");
  EXPECT_GT(pieces, 100U);
}

TEST_F(SessionDeflate, KeepsNoContextWhereNoneWasAgreedOn) {
  Peer peer = begin(DeflateMode::kBoth);
  EXPECT_NE(answer.field("Sec-WebSocket-Extensions").find("server_no_context_takeover"),
            std::string::npos);
  const std::string message(1000, 'a');
  tell(peer, compressed(message));
  const std::string first = hear(peer);
  tell(peer, compressed(message));
  EXPECT_EQ(hear(peer), first);
}

}  // namespace
}  // namespace ssx::websocket::test
