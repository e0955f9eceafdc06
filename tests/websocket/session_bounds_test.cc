// Limits of a WebSocket just below, at and just above them, where no other test is as close.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "ssxrver/compress/message_deflater.h"
#include "tests/support/sample_text.h"
#include "tests/websocket/session_fixture.h"
#include "websocket/frame.h"
#include "websocket/session.h"

namespace ssx::websocket::test {
namespace {

class SessionBounds : public WebSocketTest {
 protected:
  /// What became of one message of each size, each to a peer of its own.
  std::vector<Sent> send_each(BackpressureOptions backpressure, std::vector<std::size_t> sizes) {
    std::vector<Sent> results;
    std::size_t next = 0;
    Handlers<> handlers;
    handlers.limits.backpressure = backpressure;
    handlers.on_message = [&results, &next, &sizes](auto& socket, const Message&) {
      results.push_back(socket.send(std::string(sizes[next++], 'x')));
    };
    route("/load", std::move(handlers));
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      Peer peer = open("/load");
      tell(peer, text("x"));
      (void)hear(peer);
    }
    return results;
  }
  Echo echo_;
};

TEST_F(SessionBounds, AControlFrame) {
  route("/echo", echo_.handlers());
  Peer peer = open("/echo");
  for (const std::size_t size : {124, 125}) {
    const std::string payload(size, 'x');
    EXPECT_EQ(say(peer, ping(payload)), "pong " + payload + "|");
  }
  const std::string too_long = std::string("\x89\xFE\x00\x7E\x00\x00\x00\x00", 8);
  EXPECT_EQ(say(peer, too_long + std::string(126, 'x')), "close 1002 control frame too long|");
  EXPECT_EQ(failed(Errc::kControlTooLong), 1U);
}

// A message and the longest header that it may need.
TEST_F(SessionBounds, UnsentBytes) {
  constexpr std::size_t kMost = 1000 - kHeaderMax;
  EXPECT_EQ(send_each({.high = 1000, .low = 100, .max = 1000}, {kMost - 1, kMost, kMost + 1}),
            (std::vector<Sent>{Sent::kOk, Sent::kOk, Sent::kClosed}));
  EXPECT_EQ(failed(Errc::kSendQueueFull), 1U);
}

TEST_F(SessionBounds, UnsentBytesThatAreToldOf) {
  constexpr std::size_t kMost = 1000 - 4;  // with its header
  EXPECT_EQ(send_each({.high = 1000, .low = 100}, {kMost - 1, kMost, kMost + 1}),
            (std::vector<Sent>{Sent::kOk, Sent::kOk, Sent::kAbove}));
  EXPECT_EQ(counts().backpressure.value(), 1U);
}

TEST_F(SessionBounds, TheRatioOfACompressedMessage) {
  const std::string message = ssx::test::sample_text(5000);
  auto deflater = *compress::MessageDeflater::create({});
  std::string packed;
  deflater.write(as_bytes(message), compress::Piece::kLast, packed);
  const std::size_t ratio = (message.size() + packed.size() - 1) / packed.size();
  ASSERT_GT(ratio, 1U);
  for (const std::size_t ratio_max : {ratio - 1, ratio, ratio + 1}) {
    Options limits;
    limits.deflate.mode = DeflateMode::kReceive;
    limits.deflate.ratio_max = ratio_max;
    limits.deflate.ratio_free = 1;
    route("/" + std::to_string(ratio_max), echo_.handlers(limits));
  }
  const auto end_at = [&](std::size_t ratio_max) {
    Peer peer =
        open("/" + std::to_string(ratio_max), "Sec-WebSocket-Extensions: permessage-deflate\r\n");
    return say(peer, frame(Opcode::kText, packed, {.compressed = true}));
  };
  EXPECT_EQ(end_at(ratio + 1), "text " + message + "|");
  EXPECT_EQ(end_at(ratio), "text " + message + "|");
  EXPECT_EQ(end_at(ratio - 1), "close 1009 compressed too well|");
  EXPECT_EQ(failed(Errc::kInflateRatio), 1U);
}

}  // namespace
}  // namespace ssx::websocket::test
