#include "websocket/session.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "ssxrver/net/awaitables.h"
#include "tests/support/captured_log.h"
#include "tests/support/feed_every_split.h"
#include "tests/websocket/session_fixture.h"

namespace ssx::websocket::test {
namespace {

class WebSocketSession : public WebSocketTest {
 protected:
  WebSocketSession() { route("/echo", echo.handlers()); }
  Echo echo;
};

TEST_F(WebSocketSession, EchoesMessagesOfBothKinds) {
  Peer peer = open("/echo");
  EXPECT_EQ(say(peer, text("hello")), "text hello|");
  EXPECT_EQ(say(peer, binary("\xFF\xFE")), "binary \xFF\xFE|");
  EXPECT_EQ(say(peer, text("")), "text |");
  EXPECT_EQ(counts().messages_in.value(), 3U);
  EXPECT_EQ(counts().messages_out.value(), 3U);
  EXPECT_EQ(counts().bytes_in.value(), 7U);
  EXPECT_EQ(counts().bytes_out.value(), 7U);
  EXPECT_EQ(counts().open.value(), 1);
}

TEST_F(WebSocketSession, BeginsWithTheByteBehindTheHandshake) {
  Peer peer = connect();
  tell(peer, handshake("/echo") + text("early"));
  EXPECT_EQ(peer.read_response().status, 101);
  EXPECT_EQ(heard(peer), "text early|");
}

TEST_F(WebSocketSession, AnswersAllOfOneReadInOneWrite) {
  Peer peer = open("/echo");
  std::string all;
  std::string expected;
  for (int i = 0; i < 16; ++i) {
    all += text(std::to_string(i));
    expected += fmt::format("text {}|", i);
  }
  EXPECT_EQ(say(peer, all), expected);
}

// RFC 6455 5.4: control frames may come between fragments.
TEST_F(WebSocketSession, PutsFragmentsTogether) {
  Peer peer = open("/echo");
  EXPECT_EQ(say(peer, fragments({"one ", "two ", "three"})), "text one two three|");
  EXPECT_EQ(say(peer, frame(Opcode::kText, "a", {.fin = false}) + ping("between") +
                          frame(Opcode::kContinuation, "b")),
            "pong between|text ab|");
  EXPECT_EQ(say(peer, fragments({"", "", "x"})), "text x|");
}

TEST_F(WebSocketSession, UnderstandsTheSameHoweverItIsCut) {
  const std::string bytes = text("hello") + ping("p") + fragments({"f\xC3", "\xBC", "nf"}) +
                            binary(std::string(300, 'b')) + closing(1000, "bye");
  const std::string expected =
      "text hello|pong p|text f\xC3\xBCnf|binary " + std::string(300, 'b') + "|close 1000 |";
  ssx::test::feed_every_split(bytes,
                              [this, &expected](const ssx::test::Pieces& pieces) {
                                Peer peer = open("/echo");
                                std::string said;
                                for (const std::string_view piece : pieces) {
                                  tell(peer, piece);
                                  said += hear(peer);
                                }
                                EXPECT_EQ(show(said), expected);
                              },
                              {.random = 20});
}

TEST_F(WebSocketSession, AnswersPingsAndTellsHandlers) {
  std::vector<std::string> told;
  route("/told", {.on_ping = [&](auto&, std::string_view said) { told.emplace_back(said); },
                  .on_pong = [&](auto&, std::string_view said) { told.emplace_back(said); }});
  Peer peer = open("/told");
  EXPECT_EQ(say(peer, ping("a") + ping(std::string(125, 'b'))),
            "pong a|pong " + std::string(125, 'b') + "|");
  EXPECT_EQ(told, (std::vector<std::string>{"a", std::string(125, 'b')}));
}

TEST_F(WebSocketSession, LeavesPingsToTheHandlerWhereThatIsWanted) {
  Options limits;
  limits.reply_ping = false;
  route("/own", {.limits = limits, .on_ping = [](auto& socket, std::string_view said) {
                   socket.pong(std::string(said) + "!");
                 }});
  Peer peer = open("/own");
  EXPECT_EQ(say(peer, ping("a")), "pong a!|");
}

// ---- what a socket can do

TEST_F(WebSocketSession, SendsFromWhereverItsHandlersAre) {
  route("/", {.on_open =
                  [](auto& socket) {
                    socket.send("text");
                    socket.send_binary(as_bytes("bytes"));
                    socket.ping("ping");
                    socket.pong(std::string(200, 'p'));
                  },
              .on_message =
                  [](auto& socket, const Message&) {
                    EXPECT_FALSE(socket.continue_message(as_bytes("of nothing"), true));
                    EXPECT_TRUE(socket.begin_message(Opcode::kText, as_bytes("one ")));
                    EXPECT_EQ(socket.send("behind"), Sent::kAbove);
                    EXPECT_FALSE(socket.begin_message(Opcode::kText, as_bytes("inside")));
                    EXPECT_TRUE(socket.continue_message(as_bytes("two "), false));
                    EXPECT_TRUE(socket.continue_message(as_bytes("three"), true));
                    EXPECT_EQ(socket.send("done"), Sent::kOk);
                  }});
  Peer peer = connect();
  tell(peer, handshake("/"));
  EXPECT_EQ(peer.read_response().status, 101);
  EXPECT_EQ(heard(peer), "text text|binary bytes|ping ping|pong " + std::string(125, 'p') + "|");
  EXPECT_EQ(say(peer, text("go")), "text... one |more... two |more three|text behind|text done|");
}

TEST_F(WebSocketSession, CutsMessagesIntoFragmentsOfAChosenSize) {
  Options limits;
  limits.send_fragment_size = 4;
  route("/cut", echo.handlers(limits));
  Peer peer = open("/cut");
  EXPECT_EQ(say(peer, text("four")), "text four|");
  EXPECT_EQ(say(peer, text("fours")), "text... four|more s|");
  EXPECT_EQ(say(peer, text("fourfourx")), "text... four|more... four|more x|");
}

// What is handed on is checked by whoever wants that: whole, in fragments, and in pieces.
TEST_F(WebSocketSession, HandsTextsOnThatAreNoneWhereNobodyAsksForACheck) {
  const std::string none = "\xFF\xFE\xC3";  // it ends within a character, too
  std::string pieces;
  for (const bool checks : {true, false}) {
    const std::string path = checks ? "/checks" : "/takes";
    Options limits;
    limits.utf8_check = checks;
    route(path, echo.handlers(limits));
    Handlers<> in_pieces = echo.handlers(limits);
    in_pieces.on_message = {};
    in_pieces.on_piece = [&pieces](auto&, const Piece& piece) { pieces += piece.payload; };
    route(path + "/pieces", std::move(in_pieces));
  }
  for (const std::string& bytes : {text(none), fragments({none, none})}) {
    const std::string sent = bytes == text(none) ? none : none + none;
    Peer takes = open("/takes");
    EXPECT_EQ(say(takes, bytes + text("next")), "text " + sent + "|text next|");
    Peer checks = open("/checks");
    EXPECT_EQ(say(checks, bytes), "close 1007 text is not UTF-8|");
    pieces.clear();
    Peer takes_pieces = open("/takes/pieces");
    EXPECT_EQ(say(takes_pieces, bytes), "");
    EXPECT_EQ(pieces, sent);
    Peer checks_pieces = open("/checks/pieces");
    EXPECT_EQ(say(checks_pieces, bytes), "close 1007 text is not UTF-8|");
  }
}

// A worker keeps the room of a message in parts for the next one: that tells how much it was.
TEST_F(WebSocketSession, MakesRoomForAMessageInPartsAtOnce) {
  for (const std::size_t read_buffer : {std::size_t{0}, std::size_t{10'000}}) {
    Options limits;
    limits.read_buffer = read_buffer;
    route("/" + std::to_string(read_buffer), echo.handlers(limits));
  }
  Peer exact = open("/0");
  EXPECT_EQ(say(exact, frame(Opcode::kText, "one ", {.fin = false})), "");
  EXPECT_EQ(say(exact, frame(Opcode::kContinuation, "two")), "text one two|");
  EXPECT_EQ(websockets.worker(0).take_block()->buffer.capacity(), 8U) << "twice the first part";
  Peer ahead = open("/10000");
  EXPECT_EQ(say(ahead, fragments({"one ", "two"})), "text one two|");
  EXPECT_EQ(websockets.worker(0).take_block()->buffer.capacity(), 10'000U);
}

struct Member {
  std::string name;
};

TEST_F(WebSocketSession, HasTheDataThatItsUpgradeHasMade) {
  Options limits;
  limits.subprotocols = {"chat.v2", "chat"};
  route<Member>("/chat/{room}", {.limits = limits,
                                 .on_upgrade = [](const http::Request& request) -> Upgrade<Member> {
                                   const auto name = request.query("name");
                                   if (!name) return reject(http::Status::kForbidden);
                                   Upgrade<Member> member =
                                       Member{*name + "@" + std::string(request.param("room"))};
                                   member.set("X-Name", *name);
                                   return member;
                                 },
                                 .on_open = [](auto& socket) { socket.send(socket.subprotocol()); },
                                 .on_message =
                                     [](auto& socket, const Message& said) {
                                       socket.send(socket->name + ": " + std::string(said.payload));
                                     }});
  Peer peer = open("/chat/den?name=Ann", "Sec-WebSocket-Protocol: chat, other\r\n");
  EXPECT_EQ(answer.field("X-Name"), "Ann");
  EXPECT_EQ(answer.field("Sec-WebSocket-Protocol"), "chat");
  EXPECT_EQ(answer.field("Sec-WebSocket-Accept"), "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=");
  EXPECT_EQ(heard(peer), "text chat|");
  EXPECT_EQ(say(peer, text("hi")), "text Ann@den: hi|");
  EXPECT_TRUE(talk(handshake("/chat/den")).starts_with("HTTP/1.1 403 "));
}

TEST_F(WebSocketSession, NeedsNoDataThatCanBeMadeOfNothing) {
  struct Number {
    explicit Number(int its_value) : value(its_value) {}
    int value;
  };
  route<Number>("/made",
                {.on_upgrade = [](const http::Request&) -> Upgrade<Number> { return Number(7); },
                 .on_open = [](auto& socket) { socket.send(std::to_string(socket->value)); }});
  route<Number>("/unmade", {});
  Peer peer = open("/made");
  EXPECT_EQ(heard(peer), "text 7|");
  EXPECT_TRUE(talk(handshake("/unmade")).starts_with("HTTP/1.1 500 "));
}

TEST_F(WebSocketSession, RefusesWhatIsNoHandshake) {
  EXPECT_TRUE(talk(http::test::get("/echo")).starts_with("HTTP/1.1 426 "));
  EXPECT_TRUE(talk(http::test::post("/echo", "x")).starts_with("HTTP/1.1 405 "));
  EXPECT_TRUE(
      talk(handshake("/echo", "Origin: http://b.example\r\n")).starts_with("HTTP/1.1 403 "));
  EXPECT_EQ(counts().opened.value(), 0U);
}

// ---- pieces

TEST_F(WebSocketSession, HandsOnPiecesOfAnyLength) {
  std::size_t bytes = 0;
  Options limits;
  limits.frame_max = limits.message_max = 10 << 20;
  route("/sink", {.limits = limits, .on_piece = [&bytes](auto& socket, const Piece& piece) {
                    if (piece.begins) bytes = 0;
                    bytes += piece.payload.size();
                    if (piece.ends) socket.send(std::to_string(bytes));
                  }});
  Peer peer = open("/sink");
  EXPECT_EQ(say(peer, binary(std::string(5 << 20, 'x'))), "text 5242880|");
  EXPECT_EQ(say(peer, fragments({"abc", "", "de"})), "text 5|");
  EXPECT_EQ(say(peer, fragments({"\xC3", "\xBC"})), "text 2|");
  EXPECT_EQ(say(peer, fragments({"\xC3", "x"})), "close 1007 text is not UTF-8|");
}

// ---- coroutines

TEST_F(WebSocketSession, MayWaitBeforeItIsAnswered) {
  Handlers<std::string> handlers;
  handlers.on_upgrade = [](const http::Request& request) -> Task<Upgrade<std::string>> {
    co_await net::sleep_for(100ms);
    if (request.path() == "/no") co_return reject(http::Status::kForbidden);
    co_return Upgrade<std::string>(std::string(request.path()));
  };
  handlers.on_open = [](auto& socket) { socket.send(*socket); };
  route<std::string>("/yes", handlers);
  route<std::string>("/no", handlers);
  for (const auto& [path, status] : {std::pair{"/yes", 101}, {"/no", 403}}) {
    Peer peer = connect();
    tell(peer, handshake(path) + text("early"));
    EXPECT_EQ(heard(peer), "");
    advance(101ms);
    EXPECT_EQ(peer.read_response().status, status);
    if (status == 101) {
      EXPECT_EQ(heard(peer), "text /yes|");
    }
  }
}

TEST_F(WebSocketSession, KeepsTheOrderWhileACoroutineHandlesAMessage) {
  route("/slow", {.on_message = [](WebSocket<NoData>& socket, const Message& said) -> Task<> {
          const std::string waits(said.payload);
          if (waits == "slow") co_await net::sleep_for(1s);
          socket.send(waits + std::string(said.payload));
        }});
  Peer peer = open("/slow");
  EXPECT_EQ(say(peer, text("fast")), "text fastfast|");
  EXPECT_EQ(say(peer, text("slow") + text("next") + ping("p")), "");
  EXPECT_EQ(say(peer, text("third")), "");
  advance(1s);
  EXPECT_EQ(heard(peer), "text slowslow|text nextnext|pong p|text thirdthird|");
}

TEST_F(WebSocketSession, CancelsTheCoroutineOfAPeerThatHasGone) {
  struct Witness {
    bool& gone;
    ~Witness() { gone = true; }
  };
  bool gone = false;
  route("/slow", {.on_message = [&gone](WebSocket<NoData>& socket, const Message&) -> Task<> {
          const Witness witness{gone};
          co_await net::sleep_for(1h);
          socket.send("never");
        }});
  Peer peer = open("/slow");
  say(peer, text("x"));
  EXPECT_FALSE(gone);
  EXPECT_EQ(counts().open.value(), 1);
  peer.reset();
  idle();
  EXPECT_TRUE(gone);
  EXPECT_EQ(counts().open.value(), 0);
}

// ---- ends

TEST_F(WebSocketSession, ClosesWhenThePeerCloses) {
  Peer peer = open("/echo");
  EXPECT_EQ(say(peer, closing(3999, "enough") + text("too late")), "close 3999 |");
  EXPECT_TRUE(is_gone(peer));
  EXPECT_EQ(echo.ends, std::vector<std::string>{"3999 enough"});
  EXPECT_TRUE(echo.errors.empty());
  EXPECT_EQ(counts().open.value(), 0);
}

TEST_F(WebSocketSession, AnswersACloseWithoutACodeLikewise) {
  Peer peer = open("/echo");
  EXPECT_EQ(say(peer, frame(Opcode::kClose, "")), "close 1005 |");
  EXPECT_TRUE(is_gone(peer));
  EXPECT_EQ(echo.ends, std::vector<std::string>{"1005 "});
}

TEST_F(WebSocketSession, WaitsForThePeersCloseFrame) {
  Handlers<> handlers = echo.handlers();
  handlers.on_message = [](auto& socket, const Message& said) {
    socket.close(CloseCode{4001}, said.payload);
    EXPECT_EQ(socket.send("too late"), Sent::kClosed);
    socket.close();
  };
  route("/close", std::move(handlers));
  Peer peer = open("/close");
  EXPECT_EQ(say(peer, text("why") + text("not")), "close 4001 why|");
  EXPECT_TRUE(echo.ends.empty());
  EXPECT_EQ(say(peer, ping("nobody answers") + closing(4001)), "");
  EXPECT_TRUE(is_gone(peer));
  EXPECT_EQ(echo.ends, std::vector<std::string>{"4001 "});
}

TEST_F(WebSocketSession, ResetsAPeerThatNeverCloses) {
  Handlers<> handlers = echo.handlers();
  handlers.on_open = [](auto& socket) { socket.close(); };
  route("/close", std::move(handlers));
  Peer peer = open("/close");
  EXPECT_EQ(heard(peer), "close 1000 |");
  advance(4s);
  EXPECT_TRUE(echo.ends.empty());
  advance(2s);
  EXPECT_EQ(echo.ends, std::vector<std::string>{"1006 no close frame came"});
  EXPECT_EQ(failed(Errc::kCloseTimedOut), 1U);
  EXPECT_TRUE(is_gone(peer));
}

TEST_F(WebSocketSession, TellsOfAConnectionThatIsLost) {
  Peer peer = open("/echo");
  peer.half_close();
  EXPECT_TRUE(is_gone(peer));
  EXPECT_EQ(echo.ends, std::vector<std::string>{"1006 "});
  Peer other = open("/echo");
  other.reset();
  idle();
  EXPECT_EQ(echo.ends.size(), 2U);
  EXPECT_EQ(failed(Errc::kConnectionLost), 2U);
}

TEST_F(WebSocketSession, SaysWhatIsWrongAndEnds) {
  const auto end_of = [this](std::string_view bytes) {
    Peer peer = open("/echo");
    const std::string said = say(peer, std::string(bytes) + text("never read"));
    peer.half_close();
    EXPECT_TRUE(is_gone(peer));
    return said;
  };
  EXPECT_EQ(end_of(text("\xFF")), "close 1007 text is not UTF-8|");
  EXPECT_EQ(end_of(frame(Opcode::kText, "x", {.masked = false})), "close 1002 unmasked frame|");
  EXPECT_EQ(end_of(frame(Opcode::kText, "x", {.compressed = true})),
            "close 1002 reserved bits are set|");
  EXPECT_EQ(end_of(frame(Opcode::kContinuation, "x")), "close 1002 continuation of nothing|");
  EXPECT_EQ(end_of(closing(1006)), "close 1002 close code that may not be sent|");
  EXPECT_EQ(end_of(frame(Opcode::kClose, "x")), "close 1002 close frame of one byte|");
  EXPECT_EQ(end_of(closing(1000, "\xFF")), "close 1007 text is not UTF-8|");
  EXPECT_EQ(end_of(binary(std::string((1 << 20) + 1, 'x'))), "close 1009 frame too long|");
  EXPECT_EQ(echo.errors.size(), 8U);
  EXPECT_EQ(echo.ends.size(), 8U);
  EXPECT_EQ(failed(Errc::kBadUtf8), 2U);
}

namespace {

Task<> say_later(WebSocket<NoData>& socket, const Message& message) {
  socket.send(message);
  co_return;
}

}  // namespace

// What on_backpressure throws is not the message's handler's: that has no coroutine yet.
TEST_F(WebSocketSession, EndsWhenAHandlerThrowsWithinAnother) {
  Handlers<> handlers = echo.handlers();
  handlers.limits.backpressure = {.high = 1, .low = 0};
  handlers.on_message = [](auto& socket, const Message& message) -> Task<> {
    socket.send(std::string(1000, 'x'));
    return say_later(socket, message);
  };
  handlers.on_backpressure = [](auto&) { throw std::runtime_error("no luck"); };
  route("/within", std::move(handlers));
  Peer peer = open("/within");
  EXPECT_TRUE(say(peer, text("hello")).ends_with("close 1011 handler failed|"));
  EXPECT_EQ(echo.ends, std::vector<std::string>{"1011 handler failed"});
}

TEST_F(WebSocketSession, IsNamedWhenItsHandlerHoldsUpTheLoop) {
  route("/function", {.on_message = [this](auto& socket, const Message&) {
          clock.advance(1s);
          socket.send("slow");
        }});
  route("/coroutine", {.on_message = [this](auto& socket, const Message&) -> Task<> {
          co_await net::sleep_for(10ms);
          clock.advance(2s);
          socket.send("slower");
        }});
  const ssx::test::CapturedLog log;
  Peer peer = open("/function");
  EXPECT_EQ(say(peer, text("x")), "text slow|");
  Peer later = open("/coroutine");
  EXPECT_EQ(say(later, text("x")), "");
  advance(10ms);
  EXPECT_EQ(heard(later), "text slower|");
  EXPECT_THAT(log.lines(), testing::Contains(testing::HasSubstr("longest: /function, 1000 ms")));
  EXPECT_THAT(log.lines(), testing::Contains(testing::HasSubstr("longest: /coroutine, 2000 ms")));
}

TEST_F(WebSocketSession, F11SaysWhatItsLastHandlerThrew) {
  route("/ends", {.on_message = [](auto&, const Message&) {},
                  .on_close = [](auto&, CloseCode,
                                 std::string_view) { throw std::runtime_error("too bad"); }});
  const ssx::test::CapturedLog log;
  while (log.lines().empty()) {  // one line a second, and another test may have had it
    Peer peer = open("/ends");
    EXPECT_EQ(say(peer, closing(1000)), "close 1000 |");
  }
  EXPECT_THAT(log.lines(), testing::Contains(testing::HasSubstr("/ends: on_close threw: too bad")));
  EXPECT_GE(failed(Errc::kHandlerFailed), 1U);
}

TEST_F(WebSocketSession, F11EndsWhenAHandlerThrows) {
  Handlers<> handlers = echo.handlers();
  handlers.on_message = [](auto&, const Message& said) {
    if (said.is_text()) throw std::runtime_error("no");
    throw 42;
  };
  route("/throws", std::move(handlers));
  route("/later", {.on_message = [](auto&, const Message&) -> Task<> {
          co_await net::sleep_for(1s);
          throw std::runtime_error("later");
        }});
  Peer peer = open("/throws");
  EXPECT_EQ(say(peer, text("x")), "close 1011 handler failed|");
  Peer second = open("/throws");
  EXPECT_EQ(say(second, binary("x")), "close 1011 handler failed|");
  Peer third = open("/later");
  EXPECT_EQ(say(third, text("x")), "");
  advance(1s);
  EXPECT_EQ(heard(third), "close 1011 handler failed|");
  EXPECT_EQ(failed(Errc::kHandlerFailed), 3U);
  EXPECT_EQ(echo.ends, (std::vector<std::string>(2, "1011 handler failed")));
}

TEST_F(WebSocketSession, CanBeResetByItsHandler) {
  Handlers<> handlers = echo.handlers();
  handlers.on_message = [](auto& socket, const Message&) { socket.reset(); };
  route("/reset", std::move(handlers));
  Peer peer = open("/reset");
  EXPECT_EQ(say(peer, text("x") + text("y")), "");
  EXPECT_TRUE(is_gone(peer));
  EXPECT_EQ(echo.ends, std::vector<std::string>{"1006 "});
}

// ---- the server's end

TEST_F(WebSocketSession, GoesAwayWithTheServer) {
  Peer peer = open("/echo");
  websockets.worker(0).close_all(CloseCode::kGoingAway);
  EXPECT_EQ(heard(peer), "close 1001 |");
  EXPECT_EQ(say(peer, closing(1001)), "");
  EXPECT_TRUE(is_gone(peer));
  EXPECT_EQ(echo.ends, std::vector<std::string>{"1001 "});
}

}  // namespace
}  // namespace ssx::websocket::test
