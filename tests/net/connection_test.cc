#include "ssxrver/net/connection.h"

#include <gtest/gtest.h>

#include <cerrno>
#include <string>
#include <vector>

#include "tests/net/connection_fixture.h"

namespace ssx::net {
namespace {

using State = Connection::State;
using Linger = Connection::Linger;

void write(Connection& connection, std::string_view text) {
  connection.out().append_copy(as_bytes(text));
}

TEST(ConnectionSize, IsWhatTheHouseAllowsIt) { EXPECT_LE(sizeof(Connection), 224U); }

TEST_F(ConnectionTest, EchoesAndClosesAfterThePeer) {
  auto peer = open(test::echo_hooks());
  peer.send("hello");
  idle();
  EXPECT_EQ(peer.take(), "hello");
  peer.end();
  idle();
  EXPECT_TRUE(peer.saw_close());
  EXPECT_EQ(record.told(), "open data(5) end close");
  EXPECT_TRUE(record.ended_with(code(Errc::kClosed)));
  EXPECT_TRUE(connections().empty());
}

// ---- reading

TEST_F(ConnectionTest, WhatIsLeftComesAgainInFrontOfWhatFollows) {
  std::string lines;
  auto peer = open({.on_data = [&lines](Connection&, InBuffer& in) {
    while (const auto eol = in.find_eol()) {
      lines += in.text().substr(0, *eol + 1);
      in.consume(*eol + 1);
    }
  }});
  for (const char c : std::string("one\ntwo\nthr")) {
    peer.send({&c, 1});
    idle();
  }
  EXPECT_EQ(lines, "one\ntwo\n");
  peer.send("ee\nfour\nfi");
  idle();
  EXPECT_EQ(lines, "one\ntwo\nthree\nfour\n");
}

TEST_F(ConnectionTest, ALongMessageIsCollectedInABufferOfItsOwn) {
  const std::string whole(300 << 10, 'x');
  std::string got;
  auto peer = open({.on_data = [&](Connection&, InBuffer& in) {
    if (in.size() < whole.size()) return;
    got = in.text();
    in.consume(in.size());
  }});
  peer.read_at_most(7000);
  peer.send(whole);
  idle();
  EXPECT_EQ(got, whole);
}

TEST_F(ConnectionTest, LeavingMoreThanInputMaxEndsTheConnection) {
  for (const std::size_t size : {999U, 1000U, 1001U}) {
    options.input_max = 1000;
    table.reset();
    Record each;
    auto peer = open(each, {.on_data = [](Connection&, InBuffer&) {}});
    peer.read_at_most(100);
    peer.send(std::string(size, 'x'));
    idle();
    EXPECT_EQ(each.closes == 1, size > 1000) << size;
    EXPECT_EQ(counters().input_max_hit.value(), size > 1000 ? 1U : 0U);
    if (size > 1000) {
      EXPECT_TRUE(each.ended_with(code(Errc::kInputOverflow)));
    }
    table.reset();
  }
}

TEST_F(ConnectionTest, InputMaxHoldsForBuffersOfTheirOwnToo) {
  options.input_max = 100'000;
  auto peer = open({.on_data = [](Connection&, InBuffer&) {}});
  peer.read_at_most(30'000);
  peer.send(std::string(100'000, 'x'));
  idle();
  EXPECT_EQ(record.closes, 0);
  peer.send("y");
  idle();
  EXPECT_TRUE(record.ended_with(code(Errc::kInputOverflow)));
}

TEST_F(ConnectionTest, PausingWithALotLeftIsNoOverflow) {
  options.input_max = 1000;
  std::size_t seen = 0;
  auto peer = open({.on_data = [&seen](Connection& connection, InBuffer& in) {
    seen += 500;
    in.consume(500);
    connection.pause_reading();
  }});
  peer.send(std::string(5000, 'x'));
  idle();
  EXPECT_EQ(record.closes, 0);
  for (int i = 0; i < 9; ++i) later([this] { connection().resume_reading(); });
  EXPECT_EQ(seen, 5000U);
  EXPECT_EQ(record.closes, 0);
}

TEST_F(ConnectionTest, APausedConnectionReadsNothingAndAsksThePollerOnce) {
  auto peer = open();
  later([this] { connection().pause_reading(); });
  const std::size_t before = wire.controls();
  peer.send("a");
  idle();
  peer.send("b");
  idle();
  EXPECT_EQ(peer.unread(), 2U);
  EXPECT_EQ(wire.controls() - before, 1U);
  later([this] { connection().resume_reading(); });
  EXPECT_EQ(record.data, "ab");
}

TEST_F(ConnectionTest, AShortPauseCostsNothing) {
  auto peer = open();
  const std::size_t before = wire.controls();
  later([this] {
    connection().pause_reading();
    connection().resume_reading();
  });
  peer.send("x");
  idle();
  EXPECT_EQ(record.data, "x");
  EXPECT_EQ(wire.controls(), before);
}

TEST_F(ConnectionTest, ResumingHandsOutWhatWasKept) {
  std::string got;
  auto peer = open({.on_data = [&got](Connection& connection, InBuffer& in) {
    got += in.text().substr(0, 1);
    in.consume(1);
    connection.pause_reading();
  }});
  peer.send("abc");
  idle();
  EXPECT_EQ(got, "a");
  later([this] { connection().resume_reading(); });
  EXPECT_EQ(got, "ab");
  later([this] { connection().resume_reading(); });
  EXPECT_EQ(got, "abc");
}

TEST_F(ConnectionTest, ResumingInsideOnDataHandsOutTheRestToo) {
  std::string got;
  auto peer = open({.on_data = [&got](Connection& connection, InBuffer& in) {
    got += in.text().substr(0, 1);
    in.consume(1);
    connection.pause_reading();
    connection.resume_reading();
  }});
  peer.send("abc");
  idle();
  EXPECT_EQ(got, "abc");
}

TEST_F(ConnectionTest, TheRestIsHandedOutBeforeTheEnd) {
  auto peer = open({.on_data = [](Connection& connection, InBuffer& in) {
    in.consume(1);
    connection.pause_reading();
  }});
  peer.send("ab");
  peer.end();
  idle();
  EXPECT_EQ(record.told(), "open data(2)");
  later([this] { connection().resume_reading(); });
  later([this] { connection().resume_reading(); });
  EXPECT_EQ(record.told(), "open data(2) data(1) end close");
}

TEST_F(ConnectionTest, ClosingInsideOnDataForgetsTheRest) {
  auto peer = open({.on_data = [](Connection& connection, InBuffer&) {
    connection.close(Error(make_error_code(Errc::kTimedOut), "test"));
  }});
  peer.send("abc");
  peer.end();
  idle();
  EXPECT_EQ(record.told(), "open data(3) close");
  EXPECT_TRUE(record.ended_with(code(Errc::kTimedOut)));
}

// tcp.keepalive_* and tcp.user_timeout: the system gives up a peer that does not answer.
TEST_F(ConnectionTest, APeerThatTheSystemGivesUpIsCounted) {
  auto peer = open();
  peer.fail_read(ETIMEDOUT);
  peer.send("x");
  idle();
  EXPECT_EQ(record.told(), "open close");
  EXPECT_EQ(counters().tcp_timeouts.value(), 1U);
  EXPECT_EQ(counters().resets.value(), 0U);
}

TEST_F(ConnectionTest, AResetEndsItAndIsCounted) {
  auto peer = open();
  peer.reset();
  idle();
  EXPECT_EQ(record.told(), "open close");
  ASSERT_TRUE(record.reason);
  EXPECT_TRUE(record.reason->is_errno(ECONNRESET));
  EXPECT_EQ(counters().resets.value(), 1U);
  EXPECT_EQ(counters().tcp_timeouts.value(), 0U);
}

// ---- a peer that has gone while nobody reads

TEST_F(ConnectionTest, WhatAPeerSentBeforeItLeftCanStillBeRead) {
  auto peer = open();
  later([this] { connection().pause_reading(); });
  peer.send("the last words");
  peer.close();
  idle();
  EXPECT_EQ(record.closes, 0);
  later([this] { connection().resume_reading(); });
  EXPECT_EQ(record.data, "the last words");
  EXPECT_EQ(record.told(), "open data(14) end close");
}

TEST_F(ConnectionTest, AResetIsHeardWhileReadingIsPaused) {
  auto peer = open();
  later([this] { connection().pause_reading(); });
  peer.reset();
  idle();
  EXPECT_EQ(record.closes, 1);
}

TEST_F(ConnectionTest, AHangUpNeverSpins) {
  auto peer = open({.on_end = [](Connection& connection) { connection.shutdown_write(); }});
  peer.end();
  idle();  // would not return
  EXPECT_EQ(record.told(), "open end close");
  EXPECT_TRUE(record.ended_with(code(Errc::kEof)));
}

TEST_F(ConnectionTest, APausedOneWhosePeerHasGoneCanBeClosed) {
  auto peer = open();
  later([this] { connection().pause_reading(); });
  peer.close();
  idle();
  later([this] { connection().close(Error(make_error_code(Errc::kClosed), "test")); });
  EXPECT_EQ(record.told(), "open close");
}

// ---- writing

TEST_F(ConnectionTest, WhatACallbackWritesLeavesInOneWrite) {
  auto peer = open({.on_data = [](Connection& connection, InBuffer& in) {
    for (int i = 0; i < 10; ++i) connection.out().append_static(as_bytes("part "));
    in.consume(in.size());
  }});
  peer.send("x");
  idle();
  EXPECT_EQ(peer.received().size(), 50U);
  EXPECT_EQ(peer.writes(), 1U);
}

TEST_F(ConnectionTest, WhatIsWrittenElsewhereLeavesAtTheEndOfTheTurn) {
  auto peer = open();
  const std::size_t before = wire.controls();
  later([this, &peer] {
    write(connection(), "one ");
    write(connection(), "two");
    connection().pause_reading();
    connection().resume_reading();
    EXPECT_EQ(connection().unsent_bytes(), 7U);
    EXPECT_EQ(peer.received(), "");
  });
  EXPECT_EQ(peer.received(), "one two");
  EXPECT_EQ(peer.writes(), 1U);
  EXPECT_EQ(wire.controls(), before);
}

TEST_F(ConnectionTest, WhatThePeerDoesNotTakeIsSentWhenItDoes) {
  auto peer = open({.on_open = [](Connection& connection) { write(connection, "0123456789"); }});
  idle();  // all of it has left before the room is made small
  peer.room(4);
  later([this] { write(connection(), "abcdefgh"); });
  EXPECT_EQ(peer.take(), "0123456789");
  idle();
  EXPECT_EQ(peer.take(), "abcd");
  idle();
  EXPECT_EQ(peer.take(), "efgh");
  idle();
  EXPECT_EQ(connection().unsent_bytes(), 0U);
}

TEST_F(ConnectionTest, TheOrderOfWritesIsKeptWhateverPathTheyTake) {
  auto peer = open({.on_data = [](Connection& connection, InBuffer& in) {
    connection.out().append_copy(in.readable());
    in.consume(in.size());
  }});
  peer.room(3);
  peer.send("aaaa");
  idle();
  later([this] { write(connection(), "bbbb"); });
  peer.send("cccc");
  idle();
  std::string got;
  for (int i = 0; i < 10; ++i) {
    got += peer.take();
    idle();
  }
  EXPECT_EQ(got, "aaaabbbbcccc");
}

TEST_F(ConnectionTest, AWriteErrorEndsItWithAReset) {
  for (const int error : {EPIPE, ECONNRESET, ETIMEDOUT, ENOBUFS}) {
    for (const bool in_callback : {true, false}) {
      Record each;
      auto peer = open(each, test::echo_hooks());
      peer.fail_write(error);
      if (in_callback) {
        peer.send("x");
      } else {
        later([&each] { write(*each.connection, "x"); });
      }
      idle();
      EXPECT_EQ(each.closes, 1);
      EXPECT_TRUE(each.reason && each.reason->is_errno(error)) << error;
      EXPECT_TRUE(peer.saw_reset());
    }
  }
  EXPECT_EQ(counters().resets.value(), 2U);
}

TEST_F(ConnectionTest, AfterCloseOutputGoesNowhere) {
  auto peer = open({.on_data = [](Connection& connection, InBuffer& in) {
    write(connection, "before ");
    connection.close(Error(make_error_code(Errc::kClosed), "test"));
    write(connection, "after");
    in.consume(in.size());
    connection.set_deadline(1ns);
  }});
  peer.send("x");
  idle();
  EXPECT_EQ(peer.received(), "");
  EXPECT_EQ(record.told(), "open data(1) close");
  advance(1min);
}

// ---- watermarks

class WatermarkTest : public ConnectionTest {
 protected:
  WatermarkTest() {
    options.output_high = 1000;
    options.output_low = 100;
  }
  void queue(std::size_t size) {
    later([this, size] { write(connection(), std::string(size, 'x')); });
  }
};

TEST_F(WatermarkTest, ReadingRestsAboveOutputHighAndGoesOnAtOutputLow) {
  for (const std::size_t size : {999U, 1000U, 1001U}) {
    record = {};
    auto peer = open();
    peer.room(0);
    queue(size);
    peer.send("in");
    idle();
    const bool rests = size > 1000;
    EXPECT_EQ(record.data, rests ? "" : "in") << size;
    EXPECT_EQ(counters().output_high_hit.value(), rests ? 1U : 0U);
    peer.room(size - 101);
    idle();
    EXPECT_EQ(record.data, rests ? "" : "in");  // 101 bytes are left
    peer.room(size - 100);
    idle();
    EXPECT_EQ(record.data, "in");
    connection().close(Error(make_error_code(Errc::kClosed), "test"));
    idle();
  }
}

TEST_F(WatermarkTest, OnDrainComesOnceWhenTheQueueHasFallenToOutputLow) {
  auto peer = open();
  peer.room(0);
  queue(500);
  EXPECT_TRUE(connection().is_blocked());
  peer.room(399);
  idle();
  EXPECT_EQ(record.count("drain"), 0U);
  peer.room(400);
  idle();
  EXPECT_EQ(record.count("drain"), 1U);
  EXPECT_FALSE(connection().is_blocked());
  for (std::size_t room = 410; room <= 500; room += 10) {
    peer.room(room);
    idle();
  }
  EXPECT_EQ(connection().unsent_bytes(), 0U);
  EXPECT_EQ(record.count("drain"), 1U);
}

TEST_F(WatermarkTest, AShortQueueDoesNotBlock) {
  auto peer = open();
  peer.room(0);
  queue(100);
  EXPECT_FALSE(connection().is_blocked());
  queue(1);
  EXPECT_TRUE(connection().is_blocked());
  peer.room(1000);
  idle();
  EXPECT_EQ(record.count("drain"), 1U);
}

TEST_F(WatermarkTest, OnDrainIsNotCalledWhenTheSystemTookEverything) {
  auto peer = open();
  queue(5000);
  EXPECT_EQ(record.count("drain"), 0U);
  EXPECT_EQ(peer.received().size(), 5000U);
}

// A peer that asks and never reads: nothing but this stops the queue from growing.
TEST_F(WatermarkTest, APeerThatOnlySendsCannotMakeTheQueueGrow) {
  auto peer = open({.on_data = [](Connection& connection, InBuffer& in) {
    write(connection, std::string(100, 'r'));
    in.consume(in.size());
  }});
  peer.room(0).read_at_most(1);
  peer.send(std::string(10'000, 'q'));
  idle();
  EXPECT_GT(connection().unsent_bytes(), 1000U);
  EXPECT_LE(connection().unsent_bytes(), 1100U);
  EXPECT_GT(peer.unread(), 9900U);
  std::size_t got = 0;
  peer.room(50'000);
  while (got < 1'000'000) {
    idle();
    const std::string taken = peer.take();
    if (taken.empty()) break;
    got += taken.size();
  }
  EXPECT_EQ(got, 1'000'000U);
}

TEST_F(WatermarkTest, AStreamThatIsRefilledAtTheLowMarkArrivesWhole) {
  std::size_t written = 0;
  const auto fill = [&written](Connection& connection) {
    while (written < 100'000 && connection.unsent_bytes() < 1000) {
      write(connection, std::string(100, static_cast<char>('a' + written / 100 % 26)));
      written += 100;
    }
  };
  auto peer = open({.on_drain = fill});
  peer.room(700);
  later([&] { fill(connection()); });
  std::string got;
  while (got.size() < 100'000) {
    const std::string taken = peer.take();
    ASSERT_FALSE(taken.empty());
    got += taken;
    idle();
  }
  for (std::size_t i = 0; i < got.size(); ++i) {
    ASSERT_EQ(got[i], static_cast<char>('a' + i / 100 % 26)) << i;
  }
}

}  // namespace
}  // namespace ssx::net
