#include "websocket/session_trace.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/support/captured_log.h"
#include "tests/websocket/session_fixture.h"

namespace ssx::websocket::test {
namespace {

class SessionTrace : public WebSocketTest {
 protected:
  SessionTrace() {
    Handlers<> handlers = echo.handlers();
    handlers.on_open = [](auto& socket) { (void)socket.subscribe("news"); };
    route("/echo", std::move(handlers));
    Handlers<> sink;
    sink.on_piece = [](auto& socket, const Piece& piece) {
      if (!piece.ends) return;
      (void)socket.begin_message(Opcode::kText, as_bytes("begun, "));
      (void)socket.continue_message(as_bytes("and done"), true);
    };
    route("/sink", std::move(sink));
  }
  /// What the log says of this, without the peer's address.
  std::vector<std::string> lines_of(Peer& peer, std::string_view bytes,
                                    log::Level level = log::Level::kDebug) {
    const ssx::test::CapturedLog log(level);
    tell(peer, bytes);
    (void)hear(peer);
    std::vector<std::string> lines;
    for (const std::string& line : log.lines()) {
      const std::size_t way = line.find_first_of("<>");
      if (line.starts_with('/') && way != std::string::npos)
        lines.push_back(line.substr(0, line.find(':')) + " " + line.substr(way));
    }
    return lines;
  }
  Echo echo;
};

using Lines = std::vector<std::string>;

TEST_F(SessionTrace, ShowsMessagesBothWays) {
  Peer peer = open("/echo");
  EXPECT_EQ(lines_of(peer, text("hello")),
            (Lines{"/echo < text, 5 bytes: hello", "/echo > text, 5 bytes: hello"}));
  EXPECT_EQ(lines_of(peer, fragments({"a", "b"}) + ping("\x01")),
            (Lines{"/echo < text, 2 bytes: ab", "/echo > text, 2 bytes: ab",
                   "/echo < ping, 1 byte: 01", "/echo > pong, 1 byte: 01"}));
  EXPECT_EQ(lines_of(peer, closing(1000, "bye")),
            (Lines{"/echo < close, 5 bytes: 1000 bye", "/echo > close, 2 bytes: 1000"}));
}

TEST_F(SessionTrace, ShowsWhatIsPublished) {
  Peer peer = open("/echo");
  websockets.publish("news", "extra");
  EXPECT_EQ(lines_of(peer, ""), Lines{"/echo > text, 5 bytes: extra"});
}

TEST_F(SessionTrace, ShowsPieces) {
  Peer peer = open("/sink");
  EXPECT_EQ(
      lines_of(peer, fragments({"one ", "two"})),
      (Lines{"/sink < text, more follows, 4 bytes: one ", "/sink < continuation, 3 bytes: 74776f",
             "/sink > text, more follows, 7 bytes: begun, ",
             "/sink > continuation, 8 bytes: 616e6420646f6e65"}));
}

TEST_F(SessionTrace, SaysNothingAboveDebug) {
  Peer peer = open("/echo");
  EXPECT_EQ(lines_of(peer, text("hello"), log::Level::kInfo), Lines{});
}

}  // namespace
}  // namespace ssx::websocket::test
