// Sessions with permessage-deflate (RFC 7692).
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "ssxrver/compress/message_deflater.h"
#include "ssxrver/compress/message_inflater.h"
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
