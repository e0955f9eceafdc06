// The times and the quantities of a session: each at its limit, and beside it.
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "ssxrver/net/awaitables.h"
#include "tests/websocket/session_fixture.h"
#include "websocket/session.h"

namespace ssx::websocket::test {
namespace {

class SessionTime : public WebSocketTest {
 protected:
  /// No times but those that the test sets.
  static Options quiet() {
    Options limits;
    limits.ping_interval = limits.assembly_timeout = limits.send_stall_timeout = 0ms;
    return limits;
  }
  Peer begin(const Options& limits) {
    route("/echo", echo.handlers(limits));
    return open("/echo");
  }
  /// Its handler works so long, and then says "done".
  Peer begin_slow(const Options& limits, Duration work) {
    route("/slow", {.limits = limits, .on_message = [work](auto& socket, const Message&) -> Task<> {
                      co_await net::sleep_for(work);
                      socket.send("done");
                    }});
    return open("/slow");
  }
  /// 20 s after the end of a coroutine that has worked for longer.
  void expect_end_behind_work(const Options& limits, std::string_view end) {
    Peer peer = begin_slow(limits, 50s);
    EXPECT_EQ(say(peer, text("x")), "");
    advance(50s);
    EXPECT_EQ(heard(peer), "text done|");
    advance(19900ms);
    EXPECT_EQ(heard(peer), "");
    advance(200ms);
    EXPECT_EQ(heard(peer), end);
  }
  Echo echo;
};

// A deadline fires never early, and late by a tick of the wheel (68 ms).
constexpr auto kTick = 100ms;

TEST_F(SessionTime, AsksAQuietPeerWhetherItIsThere) {
  Options limits = quiet();
  limits.ping_interval = 10s;
  limits.pong_timeout = 5s;
  Peer peer = begin(limits);
  advance(9900ms);
  EXPECT_EQ(heard(peer), "");
  advance(kTick * 2);
  EXPECT_EQ(heard(peer), "ping |");
  EXPECT_EQ(say(peer, frame(Opcode::kPong, "")), "");
  advance(9900ms);
  EXPECT_EQ(heard(peer), "");
  advance(kTick * 2);
  EXPECT_EQ(heard(peer), "ping |");
  advance(4800ms);
  EXPECT_FALSE(is_gone(peer));
  advance(kTick * 3);
  EXPECT_TRUE(is_gone(peer));
  EXPECT_EQ(echo.ends, std::vector<std::string>{"1006 no pong came"});
  EXPECT_EQ(failed(Errc::kPongTimedOut), 1U);
}

TEST_F(SessionTime, AsksNobodyWhoSpeaks) {
  Options limits = quiet();
  limits.ping_interval = 10s;
  Peer peer = begin(limits);
  for (int i = 0; i < 10; ++i) {
    advance(6s);
    EXPECT_EQ(say(peer, text("x")), "text x|");
  }
}

// Who is not read cannot be heard: nobody is asked, and no time of his passes.
TEST_F(SessionTime, LetsACoroutineTakeItsTime) {
  Options limits = quiet();
  limits.ping_interval = 10s;
  limits.pong_timeout = 5s;
  limits.read_timeout = 20s;
  Peer peer = begin_slow(limits, 1min);
  EXPECT_EQ(say(peer, text("x") + text("y")), "");
  const std::uint64_t before = table->counters().deadlines.value();
  for (int i = 0; i < 590; ++i) {
    advance(100ms);
    EXPECT_EQ(heard(peer), "");
  }
  EXPECT_LE(table->counters().deadlines.value() - before, 7U) << "one look in each interval";
  advance(1s + kTick);
  EXPECT_EQ(heard(peer), "text done|");
}

TEST_F(SessionTime, EndsWhileACoroutineWorks) {
  route("/slow",
        {.on_message = [](auto&, const Message&) -> Task<> { co_await net::sleep_for(1h); },
         .on_close = [this](
                         auto&, CloseCode code,
                         std::string_view) { echo.ends.push_back(std::to_string(to_int(code))); }});
  Peer peer = open("/slow");
  EXPECT_EQ(say(peer, text("x") + text("y")), "");
  websockets.worker(0).first_session_for_test()->close(CloseCode::kGoingAway, {});
  EXPECT_EQ(heard(peer), "close 1001 |");
  tell(peer, closing(1001));
  EXPECT_TRUE(is_gone(peer));
  EXPECT_EQ(echo.ends, std::vector<std::string>{"1001"});
  EXPECT_EQ(failed(Errc::kCloseTimedOut), 0U);
}

TEST_F(SessionTime, BoundsTheTimeOfAMessage) {
  Options limits = quiet();
  limits.assembly_timeout = 3s;
  Peer peer = begin(limits);
  EXPECT_EQ(say(peer, frame(Opcode::kText, "a", {.fin = false})), "");
  advance(2900ms);
  EXPECT_EQ(say(peer, frame(Opcode::kContinuation, "b", {.fin = false})), "");
  advance(kTick * 2);
  EXPECT_EQ(heard(peer), "close 1008 message took too long|");
  EXPECT_EQ(failed(Errc::kAssemblyTimedOut), 1U);
}

TEST_F(SessionTime, EndsWithoutMessages) {
  Options limits = quiet();
  limits.idle_timeout = 5s;
  Peer peer = begin(limits);
  advance(4900ms);
  EXPECT_EQ(say(peer, ping()), "pong |");  // no message
  advance(kTick * 2);
  EXPECT_EQ(heard(peer), "close 1000 idle too long|");
}

TEST_F(SessionTime, ASocketThatIsTouchedIsIdleFromThenOn) {
  Options limits = quiet();
  limits.idle_timeout = 5s;
  std::vector<Duration> idle_for;
  route("/touched", {.limits = limits, .on_ping = [&idle_for](auto& socket, std::string_view) {
                       idle_for.push_back(socket.idle_for());
                       socket.touch();
                       idle_for.push_back(socket.idle_for());
                     }});
  Peer peer = open("/touched");
  for (int i = 0; i < 3; ++i) {
    advance(4s);
    EXPECT_EQ(say(peer, ping()), "pong |");
  }
  ASSERT_EQ(idle_for.size(), 6U);
  for (std::size_t i = 0; i < idle_for.size(); ++i) {
    const Duration least = i % 2 == 0 ? 4s : 0s;
    EXPECT_GE(idle_for[i], least);
    EXPECT_LT(idle_for[i], least + Duration(1 << 20));
  }
  advance(4900ms);
  EXPECT_EQ(heard(peer), "");
  advance(kTick * 2);
  EXPECT_EQ(heard(peer), "close 1000 idle too long|");
}

// A message that is coming is no silence, however long it is.
TEST_F(SessionTime, DoesNotEndWithinAMessage) {
  Options limits = quiet();
  limits.idle_timeout = 5s;
  Peer peer = begin(limits);
  EXPECT_EQ(say(peer, frame(Opcode::kText, "a", {.fin = false})), "");
  for (int i = 0; i < 3; ++i) {
    advance(4s);
    EXPECT_EQ(say(peer, frame(Opcode::kContinuation, "a", {.fin = false})), "");
  }
  advance(5s + kTick);
  EXPECT_EQ(heard(peer), "close 1000 idle too long|");
}

// Nor does the silence meanwhile count when it is done.
TEST_F(SessionTime, DoesNotEndWhileACoroutineWorks) {
  Options limits = quiet();
  limits.idle_timeout = 20s;
  expect_end_behind_work(limits, "close 1000 idle too long|");
}

TEST_F(SessionTime, DoesNotWaitForBytesWhileACoroutineWorks) {
  Options limits = quiet();
  limits.read_timeout = 20s;
  expect_end_behind_work(limits, "close 1008 nothing was read for too long|");
}

TEST_F(SessionTime, EndsWithoutBytes) {
  Options limits = quiet();
  limits.read_timeout = 5s;
  Peer peer = begin(limits);
  advance(4900ms);
  EXPECT_EQ(say(peer, ping()), "pong |");
  advance(4900ms);
  EXPECT_EQ(heard(peer), "");
  advance(kTick * 2);
  EXPECT_EQ(heard(peer), "close 1008 nothing was read for too long|");
}

TEST_F(SessionTime, EndsWhenItIsOld) {
  Options limits = quiet();
  limits.max_lifetime = 1h;
  Peer peer = begin(limits);
  advance(59min + 59s);
  EXPECT_EQ(say(peer, text("x")), "text x|");
  advance(1s + kTick);
  EXPECT_EQ(heard(peer), "close 1001 connection too old|");
  EXPECT_EQ(failed(Errc::kLifetimeOver), 1U);
}

// B10: a flood of control frames.
TEST_F(SessionTime, B10BoundsTheRateOfControlFrames) {
  Options limits = quiet();
  limits.control_rate = {1, std::chrono::seconds(1), 3};
  Peer peer = begin(limits);
  EXPECT_EQ(say(peer, ping("1") + ping("2")), "pong 1|pong 2|");
  EXPECT_EQ(say(peer, ping("3")), "pong 3|");
  EXPECT_EQ(say(peer, ping("4")), "close 1008 too many control frames|");
  EXPECT_EQ(failed(Errc::kControlRate), 1U);
  Peer unasked = open("/echo");
  const std::string pong = frame(Opcode::kPong, "");
  EXPECT_EQ(say(unasked, pong + pong + pong), "");
  EXPECT_EQ(say(unasked, pong), "close 1008 too many control frames|");
  EXPECT_EQ(failed(Errc::kControlRate), 2U);
  Peer patient = open("/echo");
  EXPECT_EQ(say(patient, ping("1") + ping("2") + ping("3")), "pong 1|pong 2|pong 3|");
  advance(1s);
  EXPECT_EQ(say(patient, ping("4")), "pong 4|");
}

TEST_F(SessionTime, BoundsFramesMessagesAndFragments) {
  Options limits = quiet();
  limits.frame_max = 100;
  limits.message_max = 150;
  limits.fragments_max = 3;
  limits.empty_fragments_max = 1;
  Peer peer = begin(limits);
  const std::string most(100, 'x');
  EXPECT_EQ(say(peer, text(most.substr(1))), "text " + most.substr(1) + "|");
  EXPECT_EQ(say(peer, text(most)), "text " + most + "|");
  EXPECT_EQ(say(peer, fragments({most, most.substr(50)})), "text " + most + most.substr(50) + "|");
  EXPECT_EQ(say(peer, fragments({"a", "b", "c"})), "text abc|");
  EXPECT_EQ(say(peer, fragments({"a", "", "c"})), "text ac|");
  const auto end_of = [this](std::string_view bytes) {
    Peer other = open("/echo");
    return say(other, bytes);
  };
  EXPECT_EQ(end_of(text(most + "x")), "close 1009 frame too long|");
  EXPECT_EQ(end_of(fragments({most, most.substr(49)})), "close 1009 message too long|");
  EXPECT_EQ(end_of(fragments({"a", "b", "c", "d"})), "close 1008 too many fragments|");
  EXPECT_EQ(end_of(fragments({"a", "", "", "b"})), "close 1008 too many empty fragments|");
}

// ---- those who read slowly

class SlowReader : public SessionTime {
 protected:
  /// Sends `count` messages of 64 KiB to each who says something.
  Peer begin_sending(BackpressureOptions backpressure, int count, milliseconds stall = 0ms) {
    Options limits = quiet();
    limits.backpressure = backpressure;
    limits.send_stall_timeout = stall;
    Handlers<> handlers = echo.handlers(limits);
    handlers.on_message = [this, count](auto& socket, const Message&) {
      const std::string load(64 << 10, 'x');
      for (int i = 0; i < count; ++i) results.push_back(socket.send(load));
    };
    handlers.on_backpressure = [this](auto&) { events += "high "; };
    handlers.on_drain = [this](auto& socket) {
      events += "low ";
      socket.send("go on");
    };
    route("/load", std::move(handlers));
    return open("/load");
  }
  std::vector<Sent> results;
  std::string events;
};

TEST_F(SlowReader, IsToldOfAndOfItsEnd) {
  Peer peer = begin_sending({.high = 1 << 20, .low = 256 << 10, .max = 8 << 20}, 40);
  tell(peer, text("x"));
  EXPECT_EQ(results.front(), Sent::kOk);
  EXPECT_EQ(results.back(), Sent::kAbove);
  EXPECT_EQ(events, "high ");
  const std::string all = show(hear(peer));
  EXPECT_EQ(events, "high low ");
  EXPECT_TRUE(all.ends_with("text go on|"));
  EXPECT_EQ(counts().backpressure.value(), 1U);
}

TEST_F(SlowReader, IsClosedBeyondTheBound) {
  Peer peer = begin_sending({.max = 256 << 10, .policy = BackpressurePolicy::kClose}, 6);
  tell(peer, text("x"));
  EXPECT_EQ(results, (std::vector<Sent>{Sent::kOk, Sent::kOk, Sent::kOk, Sent::kClosed,
                                        Sent::kClosed, Sent::kClosed}));
  EXPECT_EQ(echo.ends, std::vector<std::string>{"1013 reads too slowly"});
  EXPECT_TRUE(show(hear(peer)).ends_with("close 1013 reads too slowly|"));
  EXPECT_EQ(failed(Errc::kSendQueueFull), 1U);
  EXPECT_EQ(counts().dropped_by(BackpressurePolicy::kClose).value(), 1U);
}

TEST_F(SlowReader, LosesTheNewestWhereThatIsThePolicy) {
  Peer peer = begin_sending({.max = 256 << 10, .policy = BackpressurePolicy::kDropNewest}, 5);
  tell(peer, text("x"));
  EXPECT_EQ(results,
            (std::vector<Sent>{Sent::kOk, Sent::kOk, Sent::kOk, Sent::kDropped, Sent::kDropped}));
  EXPECT_EQ(counts().dropped_by(BackpressurePolicy::kDropNewest).value(), 2U);
  EXPECT_TRUE(echo.ends.empty());
}

TEST_F(SlowReader, IsResetWhenItTakesNothing) {
  Peer peer = begin_sending({.max = 64 << 20}, 100, 5s);
  tell(peer, text("x"));
  advance(4s);
  EXPECT_TRUE(echo.ends.empty());
  advance(1s + kTick);  // the first look finds that it took something
  EXPECT_TRUE(echo.ends.empty());
  advance(5s + kTick);
  EXPECT_EQ(echo.ends, std::vector<std::string>{"1006 takes nothing"});
  EXPECT_EQ(failed(Errc::kSendStalled), 1U);
}

// He takes so little that the system takes nothing of us for a while.
TEST_F(SlowReader, IsNotResetWhileItTakesSomething) {
  Peer peer = begin_sending({.max = 64 << 20}, 100, 5s);
  tell(peer, text("x"));
  for (int i = 0; i < 4; ++i) {
    advance(4s);
    EXPECT_EQ(peer.read(32 << 10).size(), 32U << 10);
  }
  EXPECT_TRUE(echo.ends.empty());
  for (int i = 0; i < 3; ++i) advance(5s + kTick);
  EXPECT_EQ(echo.ends, std::vector<std::string>{"1006 takes nothing"});
}

// He speaks, so that nobody asks him, and was sent nothing for longer than a stall may last.
TEST_F(SlowReader, IsNoneWhoWasSentNothingTillNow) {
  Options limits = quiet();
  limits.send_stall_timeout = 5s;
  WebSocketBase* told = nullptr;
  Handlers<> handlers = echo.handlers(limits);
  handlers.on_open = [&told](auto& socket) { told = &socket; };
  handlers.on_message = [](auto&, const Message&) {};
  route("/quiet", std::move(handlers));
  Peer peer = open("/quiet");
  for (int i = 0; i < 5; ++i) {
    advance(5s + kTick);
    // In the very turn of the next look.
    loop->run_after(5s + kTick, [told] { told->send("news"); });
    advance(5s + kTick);
    ASSERT_EQ(heard(peer), "text news|") << i;
  }
}

TEST_F(SlowReader, IsThereThoughHisPongWaits) {
  Options limits = quiet();
  limits.ping_interval = 10s;
  limits.pong_timeout = 5s;
  limits.backpressure.max = 64 << 20;
  Handlers<> handlers = echo.handlers(limits);
  handlers.on_message = [](auto& socket, const Message&) {
    for (int i = 0; i < 100; ++i) socket.send(std::string(64 << 10, 'x'));
  };
  route("/load", std::move(handlers));
  Peer peer = open("/load");
  tell(peer, text("x"));
  advance(10s + kTick);
  EXPECT_EQ(counts().pings_out.value(), 1U);
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(peer.read(64 << 10).size(), 64U << 10);
    advance(5s);
  }
  EXPECT_TRUE(echo.ends.empty());
  for (int i = 0; i < 3; ++i) advance(5s + kTick);
  EXPECT_EQ(echo.ends, std::vector<std::string>{"1006 no pong came"});
}

// What was sent before close() arrives, however slowly he reads.
TEST_F(SlowReader, GetsAllBeforeTheEnd) {
  Options limits = quiet();
  limits.backpressure.max = 64 << 20;
  limits.close_timeout = 5s;
  Handlers<> handlers = echo.handlers(limits);
  handlers.on_message = [](auto& socket, const Message&) {
    for (int i = 0; i < 100; ++i) socket.send(std::string(64 << 10, 'x'));
    socket.close();
  };
  route("/load", std::move(handlers));
  Peer peer = open("/load");
  tell(peer, text("x"));
  for (int i = 0; i < 6; ++i) {
    advance(4s);
    EXPECT_EQ(peer.read(64 << 10).size(), 64U << 10);
  }
  EXPECT_TRUE(echo.ends.empty());
  for (int i = 0; i < 3; ++i) advance(5s + kTick);
  EXPECT_EQ(echo.ends, std::vector<std::string>{"1006 no close frame came"});
  EXPECT_EQ(failed(Errc::kCloseTimedOut), 1U);
}

// It holds memory, and was told to come back later.
TEST_F(SlowReader, IsNotWaitedForOnceItWasTooSlow) {
  Peer peer = begin_sending({.max = 6 << 20, .policy = BackpressurePolicy::kClose}, 200);
  tell(peer, text("x"));
  EXPECT_EQ(echo.ends, std::vector<std::string>{"1013 reads too slowly"});
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(failed(Errc::kCloseTimedOut), 0U);
    EXPECT_EQ(peer.read(64 << 10).size(), 64U << 10);
    advance(2500ms + kTick);
  }
  EXPECT_EQ(failed(Errc::kCloseTimedOut), 1U);
  EXPECT_TRUE(table->empty());
}

// What he says is not read while he does not read what it makes.
TEST_F(SlowReader, IsNotReadUntilHeReads) {
  Peer peer = begin_sending({.high = 1 << 20, .low = 256 << 10, .max = 64 << 20}, 40);
  tell(peer, text("1") + text("2") + text("3") + text("4"));
  idle();
  EXPECT_EQ(counts().messages_in.value(), 1U);
  const std::string all = show(hear(peer));
  EXPECT_EQ(counts().messages_in.value(), 4U);
  EXPECT_TRUE(echo.ends.empty());
}

// RFC 6455 5.5.3: one pong, for the newest ping.
TEST_F(SlowReader, GetsOnePongAtTheEnd) {
  connection_options.output_high = 64 << 20;
  Peer peer = begin_sending({.high = 1 << 20, .low = 256 << 10, .max = 8 << 20}, 20);
  tell(peer, text("x") + ping("old") + ping("new"));
  const std::string all = show(hear(peer));
  EXPECT_EQ(all.find("pong old"), std::string::npos);
  EXPECT_NE(all.find("pong new|"), std::string::npos);
}

// Also where the system takes at once all that was too much.
TEST_F(SlowReader, GetsThatPongThoughNothingWasEverRefused) {
  Options limits = quiet();
  limits.backpressure = {.high = 1000, .low = 500};
  Peer peer = begin(limits);
  std::string pings;
  for (int i = 0; i < 20; ++i) pings += ping(std::string(124, static_cast<char>('a' + i)));
  const std::string pongs = say(peer, pings);
  EXPECT_TRUE(pongs.ends_with("pong " + std::string(124, 't') + "|")) << pongs;
}

}  // namespace
}  // namespace ssx::websocket::test
