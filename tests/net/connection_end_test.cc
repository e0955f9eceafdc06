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

// ---- ending

TEST_F(ConnectionTest, CloseAfterFlushSendsEverythingFirst) {
  auto peer = open({.on_data = [](Connection& connection, InBuffer& in) {
    in.consume(in.size());
    write(connection, "farewell");
    connection.close_after_flush(Linger::kNo);
    EXPECT_EQ(connection.state(), State::kFlushing);
  }});
  peer.room(3);
  peer.send("x");
  idle();
  EXPECT_FALSE(peer.saw_close());
  EXPECT_EQ(peer.take(), "far");
  peer.send("not read any more");
  idle();
  EXPECT_EQ(peer.take(), "ewe");
  idle();
  EXPECT_EQ(peer.take(), "ll");
  EXPECT_TRUE(peer.saw_close());
  EXPECT_EQ(record.told(), "open data(1) close");
}

TEST_F(ConnectionTest, CloseAfterFlushAsksThePollerNothingWhenTheSystemTakesAll) {
  auto peer = open({.on_data = [](Connection& connection, InBuffer& in) {
    in.consume(in.size());
    write(connection, "farewell");
    connection.close_after_flush(Linger::kNo);
  }});
  const std::size_t before = wire.controls();
  peer.send("x");
  idle();
  EXPECT_TRUE(peer.saw_close());
  EXPECT_EQ(wire.controls(), before);
}

TEST_F(ConnectionTest, APeerThatHalfClosesStillGetsItsAnswer) {
  auto peer = open({.on_end = [](Connection& connection) {
    write(connection, std::string(1000, 'x'));
    connection.close_after_flush(Linger::kYes);  // nothing to linger for
  }});
  peer.room(400);
  peer.send("request");
  peer.end();
  idle();
  EXPECT_FALSE(peer.saw_close());
  std::size_t got = 0;
  for (int i = 0; i < 5; ++i) {
    got += peer.take().size();
    idle();
  }
  EXPECT_EQ(got, 1000U);
  EXPECT_TRUE(peer.saw_close());
  EXPECT_FALSE(peer.saw_reset());
}

TEST_F(ConnectionTest, ShutdownWriteWaitsForTheQueueAndGoesOnReading) {
  auto peer = open();
  peer.room(3);
  later([this] {
    write(connection(), "abcdef");
    connection().shutdown_write();
  });
  EXPECT_FALSE(peer.saw_end());
  EXPECT_EQ(peer.take(), "abc");
  idle();
  EXPECT_EQ(peer.take(), "def");
  EXPECT_TRUE(peer.saw_end());
  EXPECT_FALSE(peer.saw_close());
  peer.send("still heard");
  idle();
  EXPECT_EQ(record.data, "still heard");
  later([this] { write(connection(), "too late"); });
  peer.send("!");
  idle();
  EXPECT_EQ(record.data, "still heard!");
  EXPECT_EQ(peer.take(), "");
  EXPECT_EQ(connection().unsent_bytes(), 0U);
  peer.end();
  idle();
  EXPECT_EQ(record.closes, 1);
}

TEST_F(ConnectionTest, ShutdownWriteInsideACallbackSendsWhatTheCallbackWrote) {
  auto peer = open({.on_data = [](Connection& connection, InBuffer& in) {
    in.consume(in.size());
    connection.shutdown_write();
    write(connection, "answer");
  }});
  peer.send("x");
  idle();
  EXPECT_EQ(peer.take(), "answer");
  EXPECT_TRUE(peer.saw_end());
}

class LingerTest : public ConnectionTest {
 protected:
  LingerTest() {
    options.linger_bytes = 1000;
    options.linger_timeout = 2s;
  }
  MemoryPeer linger() {
    auto peer = open({.on_data = [](Connection& connection, InBuffer& in) {
      in.consume(in.size());
      write(connection, "413");
      connection.close_after_flush(Linger::kYes);
    }});
    peer.send("x");
    idle();
    EXPECT_EQ(connection().state(), State::kLingering);
    EXPECT_EQ(peer.take(), "413");
    EXPECT_TRUE(peer.saw_end());
    return peer;
  }
};

TEST_F(LingerTest, ReadsAndForgetsUntilThePeerEnds) {
  auto peer = linger();
  peer.send(std::string(500, 'x'));
  idle();
  EXPECT_EQ(peer.unread(), 0U);
  EXPECT_EQ(record.closes, 0);
  peer.end();
  idle();
  EXPECT_EQ(record.told(), "open data(1) close");
  EXPECT_FALSE(peer.saw_reset());
}

TEST_F(LingerTest, ReadsSoMuchAndNoMore) {
  for (const std::size_t size : {999U, 1000U, 1001U}) {
    record = {};
    auto peer = linger();
    peer.read_at_most(100);
    peer.send(std::string(size, 'x'));
    idle();
    EXPECT_EQ(peer.saw_reset(), size > 1000) << size;
    EXPECT_EQ(record.closes, size > 1000 ? 1 : 0);
    EXPECT_EQ(counters().linger_bytes_hit.value(), size > 1000 ? 1U : 0U);
    EXPECT_EQ(counters().linger_timeout_hit.value(), 0U);
    table.reset();
  }
}

TEST_F(LingerTest, ReadsSoLongAndNoLonger) {
  auto peer = linger();
  advance(2s - 1ns);
  EXPECT_EQ(record.closes, 0);
  EXPECT_EQ(counters().linger_timeout_hit.value(), 0U);
  advance(1ns + TimerWheel::kTick);
  EXPECT_TRUE(record.ended_with(code(Errc::kTimedOut)));
  EXPECT_EQ(record.count("deadline"), 0U);
  EXPECT_EQ(counters().linger_timeout_hit.value(), 1U);
  EXPECT_EQ(counters().linger_bytes_hit.value(), 0U);
}

TEST_F(LingerTest, IsNotCutShortByWhatTheProtocolStillDoes) {
  auto peer = linger();
  later([this] {
    write(connection(), "more");
    connection().set_deadline(1ns);
    connection().close_after_flush(Linger::kNo);
    connection().shutdown_write();
  });
  advance(1s);
  EXPECT_EQ(record.closes, 0);
  EXPECT_EQ(peer.take(), "");
}

// ---- deadlines

TEST_F(ConnectionTest, TheDeadlineFiresOnceUnlessMovedOrCleared) {
  auto peer = open();
  later([this] { connection().set_deadline(10s); });
  advance(9s);
  later([this] { connection().set_deadline(10s); });
  advance(9s);
  EXPECT_EQ(record.count("deadline"), 0U);
  advance(1s + 2 * TimerWheel::kTick);
  EXPECT_EQ(record.count("deadline"), 1U);
  EXPECT_EQ(counters().deadlines.value(), 1U);
  advance(1min);
  EXPECT_EQ(record.count("deadline"), 1U);
  later([this] {
    connection().set_deadline(1s);
    connection().clear_deadline();
  });
  advance(1min);
  EXPECT_EQ(record.count("deadline"), 1U);
}

TEST_F(ConnectionTest, ADeadlineBeyondAllTimeIsNone) {
  auto peer = open();
  later([this] { connection().set_deadline(Duration::max()); });
  advance(std::chrono::hours(24 * 365));
  EXPECT_EQ(record.count("deadline"), 0U);
}

TEST_F(ConnectionTest, TheDeadlineIsHeardWhileTheLastBytesLeave) {
  auto peer = open({.on_deadline = [](Connection& connection) {
    connection.reset(Error(make_error_code(Errc::kTimedOut), "write"));
  }});
  peer.room(0);
  later([this] {
    write(connection(), "stuck");
    connection().set_deadline(5s);
    connection().close_after_flush(Linger::kNo);
  });
  advance(6s);
  EXPECT_TRUE(peer.saw_reset());
  EXPECT_EQ(record.told(), "open deadline close");
}

}  // namespace
}  // namespace ssx::net
