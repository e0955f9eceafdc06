#include "ssxrver/net/batch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <deque>
#include <string>
#include <vector>

#include "tests/net/connection_fixture.h"
#include "tests/support/captured_log.h"

namespace ssx::net {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

Error reason() { return {make_error_code(Errc::kClosed), "test"}; }

void write(Connection& connection, std::string_view text) {
  connection.out().append_copy(as_bytes(text));
}

/// Connections that all have something to read when the loop turns next.
class BatchTest : public ConnectionTest {
 protected:
  using Answer = std::function<void(Connection&, std::size_t index)>;

  /// `answer` is called with the connection's index when its input is handed out.
  void open_many(std::size_t count, Answer answer) {
    answer_ = std::move(answer);
    for (std::size_t i = 0; i < count; ++i) {
      peers.push_back(open(records.emplace_back(), {.on_data = [this, i](auto& c, InBuffer& in) {
                             in.consume(in.size());
                             answer_(c, i);
                           }}));
      peers.back().send("x");
    }
  }
  [[nodiscard]] Connection& at(std::size_t index) { return *records[index].connection; }
  /// How many were read, and how many were written to.
  [[nodiscard]] std::size_t read() const { return count(&MemoryPeer::reads); }
  [[nodiscard]] std::size_t written() const { return count(&MemoryPeer::writes); }

  std::deque<Record> records;
  std::vector<MemoryPeer> peers;

 private:
  [[nodiscard]] std::size_t count(std::size_t (MemoryPeer::*calls)() const) const {
    return static_cast<std::size_t>(
        std::ranges::count_if(peers, [calls](const MemoryPeer& peer) { return (peer.*calls)(); }));
  }

  Answer answer_;
};

TEST_F(BatchTest, AllAreReadThenAllAreAnsweredThenAllIsSent) {
  std::string order;
  open_many(3, [&](Connection& connection, std::size_t index) {
    order += std::to_string(index);
    EXPECT_EQ(read(), 3U);
    EXPECT_EQ(written(), 0U);
    EXPECT_EQ(connection.unsent_bytes(), 0U);
    write(connection, "answer");
    EXPECT_EQ(connection.unsent_bytes(), 6U);
  });
  idle();
  EXPECT_EQ(order, "012");
  for (const MemoryPeer& peer : peers) EXPECT_EQ(peer.received(), "answer");
  EXPECT_EQ(written(), 3U);
}

TEST_F(BatchTest, MoreThanHaveASeatAreServedInSeveralBatches) {
  for (const std::size_t count : {Batch::kSeats - 1, Batch::kSeats, Batch::kSeats + 1}) {
    peers.clear();
    connections().close_all(reason(), false);
    idle();
    std::vector<std::size_t> read_before;
    open_many(count, [&](Connection& connection, std::size_t) {
      read_before.push_back(read());
      write(connection, "answer");
    });
    idle();
    ASSERT_EQ(read_before.size(), count);
    EXPECT_EQ(read_before.front(), std::min(count, Batch::kSeats));
    EXPECT_EQ(read_before.back(), count);
    for (const MemoryPeer& peer : peers) EXPECT_EQ(peer.received(), "answer") << count;
  }
}

TEST_F(BatchTest, OneThatAnEarlierAnswerEndsIsNotHandedItsInput) {
  open_many(3, [this](Connection&, std::size_t index) {
    if (index == 0) at(1).close(reason());
  });
  idle();
  EXPECT_EQ(records[0].told(), "open data(1)");
  EXPECT_EQ(records[1].told(), "open close");
  EXPECT_EQ(records[2].told(), "open data(1)");
}

TEST_F(BatchTest, OneThatALaterAnswerEndsLosesWhatWasNotSent) {
  open_many(2, [this](Connection& connection, std::size_t index) {
    write(connection, "answer");
    if (index == 1) at(0).reset(reason());
  });
  idle();
  EXPECT_TRUE(peers[0].saw_reset());
  EXPECT_EQ(peers[0].received(), "");
  EXPECT_EQ(peers[1].received(), "answer");
}

TEST_F(BatchTest, OneThatALaterAnswerClosesWhenFlushedLosesNothing) {
  open_many(2, [this](Connection& connection, std::size_t index) {
    write(connection, "answer");
    if (index == 1) at(0).close_after_flush(Connection::Linger::kNo);
  });
  idle();
  EXPECT_EQ(peers[0].received(), "answer");
  EXPECT_TRUE(peers[0].saw_close());
}

TEST_F(BatchTest, OneThatAnEarlierAnswerPausesKeepsItsInput) {
  open_many(2, [this](Connection&, std::size_t index) {
    if (index == 0) at(1).pause_reading();
  });
  idle();
  EXPECT_EQ(records[1].told(), "open");
  later([this] { at(1).resume_reading(); });
  EXPECT_EQ(records[1].told(), "open data(1)");
}

TEST_F(BatchTest, WhatOthersWriteLeavesWithTheAnswerInOrder) {
  open_many(3, [this](Connection& connection, std::size_t index) {
    if (index != 1) write(at(1), index == 0 ? "before " : " after");
    write(connection, "answer");
  });
  idle();
  EXPECT_EQ(peers[1].received(), "before answer after");
  EXPECT_EQ(peers[1].writes(), 1U);
}

TEST_F(BatchTest, TheEndOfWritingComesBehindTheAnswer) {
  open_many(1, [](Connection& connection, std::size_t) {
    connection.shutdown_write();
    write(connection, "answer");
  });
  idle();
  EXPECT_EQ(peers[0].received(), "answer");
  EXPECT_TRUE(peers[0].saw_end());
  EXPECT_FALSE(peers[0].saw_close());
}

TEST_F(BatchTest, OneWhoseAnswerIsNotSentIsNotIdle) {
  std::size_t closed = 0;
  open_many(2, [&](Connection& connection, std::size_t index) {
    connection.set_idle(true);
    write(connection, "answer");
    if (index == 1) closed = connections().close_idle(2, Duration(0));
  });
  idle();
  EXPECT_EQ(closed, 0U);
  EXPECT_TRUE(at(0).is_idle());
}

TEST_F(BatchTest, AnswersLeaveBeforeTheTimersOfTheTurn) {
  open_many(1, [](Connection& connection, std::size_t) { write(connection, "answer"); });
  std::string seen;
  loop->assert_in_loop_thread();
  loop->run_after(Duration(0), [&] { seen = peers[0].received(); });
  idle();
  EXPECT_EQ(seen, "answer");
}

TEST_F(BatchTest, MoreDeadlinesThanSeatsWriteAll) {
  std::deque<Record> waiting(Batch::kSeats + 1);
  for (Record& each : waiting) {
    peers.push_back(open(each, {.on_open = [](Connection& c) { c.set_deadline(1s); },
                                .on_deadline = [](Connection& c) { write(c, "late"); }}));
  }
  advance(2s);
  for (const MemoryPeer& peer : peers) EXPECT_EQ(peer.received(), "late");
}

TEST_F(BatchTest, MoreThanSeatsMayAskForTheRestAtTheEndOfTheTurn) {
  std::deque<Record> greedy(Batch::kSeats + 1);
  for (Record& each : greedy) {
    peers.push_back(open(each, {.on_data = [](Connection& connection, InBuffer& in) {
                           write(connection, in.text().substr(0, 1));
                           in.consume(1);
                           if (!in.empty()) connection.deliver_again();
                         }}));
    peers.back().send("abc");
  }
  idle();
  for (const MemoryPeer& peer : peers) EXPECT_EQ(peer.received(), "abc");
}

TEST_F(BatchTest, OneThatAnAnswerOpensMayWriteAtOnce) {
  Record opened;
  MemoryPeer greeted;
  open_many(2, [&](Connection& connection, std::size_t index) {
    if (index == 0) greeted = open(opened, {.on_open = [](Connection& c) { write(c, "welcome"); }});
    write(connection, "answer");
  });
  idle();
  EXPECT_EQ(greeted.received(), "welcome");
  EXPECT_EQ(peers[0].received(), "answer");
  EXPECT_EQ(peers[1].received(), "answer");
}

TEST_F(BatchTest, ABrokenWireEndsItsOwnConnectionOnly) {
  open_many(3, [](Connection& connection, std::size_t) { write(connection, "answer"); });
  peers[1].fail_write(EPIPE);
  idle();
  EXPECT_EQ(records[1].closes, 1);
  EXPECT_EQ(peers[0].received(), "answer");
  EXPECT_EQ(peers[2].received(), "answer");
}

TEST_F(BatchTest, OneThatWaitsForASeatMayBeEndedByWhoHasOne) {
  open_many(Batch::kSeats + 2, [this](Connection& connection, std::size_t index) {
    if (index == 0) at(Batch::kSeats).reset(reason());
    if (index == 1) at(Batch::kSeats + 1).pause_reading();
    write(connection, "answer");
  });
  idle();
  EXPECT_EQ(records[Batch::kSeats].told(), "open close");
  EXPECT_EQ(records[Batch::kSeats + 1].told(), "open");
  EXPECT_EQ(written(), Batch::kSeats);
}

TEST_F(BatchTest, OneThatGetsAnotherProtocolGivesItItsInput) {
  Record successor;
  open_many(2, [&](Connection&, std::size_t index) {
    if (index == 0) at(1).set_protocol(test::record_into(successor));
  });
  idle();
  EXPECT_EQ(records[1].told(), "open");
  EXPECT_EQ(successor.told(), "open data(1)");
}

TEST_F(BatchTest, TheEndIsToldInItsTurn) {
  Record ending;
  open_many(1, [](Connection& connection, std::size_t) { write(connection, "answer"); });
  auto peer = open(ending, {.on_end = [this](Connection& connection) {
                     EXPECT_EQ(records[0].told(), "open data(1)");
                     EXPECT_EQ(peers[0].received(), "");
                     connection.close(reason());
                   }});
  peer.end();
  idle();
  EXPECT_EQ(ending.told(), "open end close");
}

TEST_F(BatchTest, APeerThatHasEndedCostsNothingButTheClose) {
  auto peer = open();
  idle();
  const std::size_t before = wire.controls();
  peer.end();
  idle();
  EXPECT_EQ(record.told(), "open end close");
  EXPECT_EQ(wire.controls(), before);
}

TEST_F(BatchTest, ThoseThatHaveReceivedMuchWaitForNoMore) {
  for (const std::size_t size : {Batch::kReceivedMax - 1, Batch::kReceivedMax}) {
    peers.clear();
    records.clear();
    connections().close_all(reason(), false);
    idle();
    std::vector<std::size_t> read_before;
    open_many(3, [&](Connection&, std::size_t) { read_before.push_back(read()); });
    const std::size_t half = size / 2;  // each has been sent a byte already
    peers[0].send(std::string(half - 1, 'x'));
    peers[1].send(std::string(size - half - 1, 'x'));
    idle();
    const std::size_t first = size < Batch::kReceivedMax ? 3 : 2;
    EXPECT_THAT(read_before, ElementsAre(first, first, 3)) << size;
  }
}

TEST_F(BatchTest, WhenTheAnswersAreLargeTheyAreSentBeforeTheNextIsMade) {
  const std::string head(100, 'h');
  for (const std::size_t size : {Batch::kStagedMax - 1, Batch::kStagedMax, Batch::kStagedMax + 1}) {
    peers.clear();
    records.clear();
    connections().close_all(reason(), false);
    idle();
    std::vector<std::size_t> sent_before;
    open_many(3, [&](Connection& connection, std::size_t index) {
      sent_before.push_back(written());
      write(connection, index == 1 ? head : std::string(size - (index == 0 ? 0 : 1), 'x'));
    });
    idle();
    const bool is_above = size > Batch::kStagedMax;
    EXPECT_EQ(sent_before[1], is_above ? 1U : 0U) << size;
    EXPECT_EQ(sent_before[2], is_above ? 1U : size + 100 > Batch::kStagedMax ? 2U : 0U) << size;
    EXPECT_EQ(peers[0].received().size(), size);
    EXPECT_EQ(peers[1].received(), head);
  }
}

TEST_F(BatchTest, TheSlowOneIsNamedInTheStallWarning) {
  const test::CapturedLog log;
  open_many(3, [this](Connection&, std::size_t index) {
    if (index == 1) loop->set_label("GET /slow");
    clock.advance(index == 1 ? 200ms : 10ms);
  });
  idle();
  EXPECT_THAT(log.lines(), ElementsAre(HasSubstr("took 220 ms (longest: GET /slow, 200 ms)")));
}

TEST_F(BatchTest, ASlowTimerIsNotChargedToADeadline) {
  const test::CapturedLog log;
  auto peer = open({.on_open = [](Connection& c) { c.set_deadline(1s); }});
  loop->assert_in_loop_thread();
  loop->run_after(1s, [this] { clock.advance(200ms); });
  advance(2s);
  EXPECT_EQ(record.count("deadline"), 1U);
  EXPECT_THAT(log.lines(), ElementsAre(HasSubstr("longest: timer, 200 ms")));
}

TEST_F(BatchTest, SlowWorkAtTheEndOfATurnIsNotChargedToWhoIsServedThere) {
  class Slow final : public TurnEnd {
   public:
    explicit Slow(test::ManualClock& clock) : clock_(clock) {}
    void on_turn_end() override { clock_.advance(200ms); }
    test::ManualClock& clock_;
  };
  const test::CapturedLog log;
  Slow slow(clock);
  open_many(1, [](Connection&, std::size_t) {});
  later([&] {
    loop->at_turn_end(slow);
    at(0).pause_reading();
  });
  peers[0].send("x");
  later([&] {
    loop->at_turn_end(slow);
    at(0).resume_reading();
  });
  ASSERT_FALSE(log.lines().empty());
  for (const std::string& line : log.lines())
    EXPECT_THAT(line, HasSubstr("longest: end of the turn, 200 ms"));
}

TEST_F(BatchTest, ASlowDeadlineIsTheConnections) {
  const test::CapturedLog log;
  auto peer = open({.on_open = [](Connection& c) { c.set_deadline(1s); },
                    .on_deadline = [this](Connection&) { clock.advance(200ms); }});
  advance(2s);
  EXPECT_THAT(log.lines(), ElementsAre(HasSubstr("longest: connection, 200 ms")));
}

}  // namespace
}  // namespace ssx::net
