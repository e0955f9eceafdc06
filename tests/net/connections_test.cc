#include "ssxrver/net/connections.h"

#include <gtest/gtest.h>

#include <cerrno>
#include <deque>
#include <string>
#include <vector>

#include "tests/net/connection_fixture.h"

namespace ssx::net {
namespace {

Error reason() { return {make_error_code(Errc::kShutdown), "test"}; }

TEST_F(ConnectionTest, AnIdFindsItsConnectionUntilItHasEnded) {
  auto peer = open();
  const ConnectionId id = connection().id();
  EXPECT_EQ(connections().find(id.slot), &connection());
  EXPECT_EQ(counters().stale_ids.value(), 0U);
  connection().close(reason());
  EXPECT_EQ(connections().find(id.slot), nullptr);  // closed, not yet deleted
  idle();
  EXPECT_EQ(connections().find(id.slot), nullptr);
  auto next = open();  // takes the slot again
  EXPECT_EQ(connection().id().slot.slot, id.slot.slot);
  EXPECT_EQ(connections().find(id.slot), nullptr);
  EXPECT_EQ(counters().stale_ids.value(), 3U);
}

TEST_F(ConnectionTest, CountsWhatItOpensAndCloses) {
  std::vector<MemoryPeer> peers;
  std::deque<Record> records(5);
  int removed = 0;
  connections().on_removed([&removed](const Connection&) { ++removed; });
  for (Record& each : records) peers.push_back(open(each));
  EXPECT_EQ(counters().opened.value(), 5U);
  EXPECT_EQ(counters().active.value(), 5);
  peers[0].reset();
  peers[1].end();
  idle();
  EXPECT_EQ(removed, 2);
  EXPECT_EQ(counters().closed.value(), 2U);
  EXPECT_EQ(counters().active.value(), 3);
  connections().close_all(reason(), false);
  idle();
  EXPECT_EQ(removed, 5);
  EXPECT_EQ(counters().active.value(), 0);
  EXPECT_TRUE(connections().empty());
}

TEST_F(ConnectionTest, CountsBytesBothWays) {
  auto peer = open(test::echo_hooks());
  peer.send("12345");
  idle();
  EXPECT_EQ(counters().bytes_in.value(), 5U);
  EXPECT_EQ(counters().bytes_out.value(), 5U);
  EXPECT_EQ(connection().sent_bytes(), 5U);
}

// D12: the poller has no room for another descriptor.
TEST_F(ConnectionTest, ASocketThatThePollerRefusesIsResetAndNotCounted) {
  int removed = 0;
  connections().on_removed([&removed](const Connection&) { ++removed; });
  wire.fail_add(ENOSPC);
  auto peer = open();
  EXPECT_EQ(record.told(), "");
  EXPECT_EQ(record.destroyed, 1);
  EXPECT_TRUE(peer.saw_reset());
  EXPECT_EQ(counters().opened.value(), 0U);
  EXPECT_EQ(removed, 0);
  auto next = open();
  EXPECT_EQ(record.told(), "open");
  connections().on_removed(nullptr);
}

TEST_F(ConnectionTest, ThePollerMayRefuseAChangeLater) {
  auto peer = open();
  later([this] { connection().pause_reading(); });
  peer.send("last");
  peer.close();  // leaves the poller until reading resumes
  idle();
  wire.fail_add(ENOMEM);
  later([this] { connection().resume_reading(); });
  EXPECT_EQ(record.closes, 1);
  EXPECT_TRUE(record.reason && record.reason->is_errno(ENOMEM));
}

TEST_F(ConnectionTest, CloseAllTellsEachOnce) {
  Record first, second;
  auto a = open(first);
  auto b = open(second);
  later([this] {
    connections().close_all(reason(), true);
    connections().close_all(reason(), false);
  });
  EXPECT_EQ(first.told(), "open close");
  EXPECT_EQ(second.told(), "open close");
  EXPECT_TRUE(a.saw_reset());
  EXPECT_TRUE(first.ended_with(code(Errc::kShutdown)));
}

TEST_F(ConnectionTest, DestroyingTheTableEndsWhatIsLeft) {
  auto peer = open();
  table.reset();
  EXPECT_EQ(record.told(), "open close");
  EXPECT_TRUE(record.ended_with(code(Errc::kShutdown)));
  EXPECT_TRUE(peer.saw_close());
  idle();
}

TEST_F(ConnectionTest, ForEachVisitsWhatIsNotClosed) {
  Record first, second;
  auto a = open(first);
  auto b = open(second);
  first.connection->close(reason());
  int seen = 0;
  connections().for_each([&](Connection& connection) {
    EXPECT_EQ(&connection, second.connection);
    ++seen;
  });
  EXPECT_EQ(seen, 1);
}

// ---- overload

class IdleTest : public ConnectionTest {
 protected:
  /// Ten connections, each last heard a second after the one before; odd ones are at work.
  void open_ten() {
    for (std::size_t i = 0; i < 10; ++i) {
      const bool is_idle = i % 2 == 0;
      peers.push_back(open(records[i], {.on_data = [is_idle](Connection& connection, InBuffer& in) {
                             in.consume(in.size());
                             connection.set_idle(is_idle);
                           }}));
      peers.back().send("x");
      advance(1s);
    }
  }
  [[nodiscard]] std::string alive() const {
    std::string text;
    for (std::size_t i = 0; i < 10; ++i) {
      if (records[i].closes == 0) text += std::to_string(i);
    }
    return text;
  }
  std::deque<Record> records{10};
  std::vector<MemoryPeer> peers;
};

TEST_F(IdleTest, ThoseThatWereQuietLongestAreClosedFirst) {
  open_ten();
  EXPECT_EQ(connections().close_idle(2, 1s), 2U);
  idle();
  EXPECT_EQ(alive(), "13456789");
  EXPECT_TRUE(records[0].ended_with(code(Errc::kOverload)));
  EXPECT_EQ(counters().idle_closed.value(), 2U);
  EXPECT_EQ(connections().close_idle(100, 1s), 3U);
  idle();
  EXPECT_EQ(alive(), "13579");
}

TEST_F(IdleTest, NoneIsClosedThatWasActiveJustNow) {
  open_ten();
  const Duration quiet = loop->now() - records[8].connection->last_active();
  EXPECT_EQ(connections().close_idle(100, quiet + 1ns), 4U);
  EXPECT_EQ(connections().close_idle(100, quiet), 1U);
}

TEST_F(IdleTest, AByteMakesItBusyAgainAndSoDoesUnsentOutput) {
  open_ten();
  peers[0].send("y");
  peers[2].room(0);
  later([this] { records[2].connection->out().append_static(as_bytes("waits")); });
  EXPECT_TRUE(records[0].connection->is_idle());  // its on_data has said so again
  EXPECT_FALSE(records[2].connection->is_idle());
  EXPECT_EQ(connections().close_idle(100, 5s), 1U);  // 4 alone: 0 was active, 2 has output
}

TEST_F(IdleTest, DrainingClosesIdleOnesAfterTheGrace) {
  open_ten();
  EXPECT_FALSE(connections().is_draining());
  later([this] { connections().drain(5s); });
  EXPECT_TRUE(connections().is_draining());
  advance(5s - 1ns);
  EXPECT_EQ(alive(), "0123456789");
  EXPECT_EQ(counters().drain_idle_grace_hit.value(), 0U);
  advance(1ns);
  EXPECT_EQ(alive(), "13579");
  EXPECT_EQ(counters().drain_idle_grace_hit.value(), 5U);
  EXPECT_TRUE(peers[0].saw_close());
  EXPECT_FALSE(peers[0].saw_reset());
  advance(1s);
  EXPECT_EQ(counters().drain_idle_grace_hit.value(), 5U);
}

// What was promised and not delivered must not look as if it were whole.
TEST_F(IdleTest, ADrainThatTakesTooLongResetsWhatIsUnderWay) {
  open_ten();
  later([this] { records[1].connection->close_after_flush(Connection::Linger::kYes); });
  EXPECT_EQ(records[1].connection->state(), Connection::State::kLingering);
  later([this] { connections().cut_off(reason()); });
  EXPECT_TRUE(connections().empty());
  EXPECT_EQ(counters().drain_timeout_hit.value(), 10U);
  for (std::size_t i = 0; i < 10; ++i) {
    EXPECT_EQ(peers[i].saw_reset(), i % 2 == 1 && i != 1) << i;
  }
}

TEST_F(IdleTest, DrainingAgainTakesTheNewGrace) {
  open_ten();
  later([this] {
    connections().drain(5s);
    connections().drain(50s);
  });
  advance(10s);
  EXPECT_EQ(alive(), "0123456789");
  advance(41s);
  EXPECT_EQ(alive(), "13579");
}

// ---- memory

TEST_F(ConnectionTest, AnIdleConnectionOwnsNoBuffer) {
  auto peer = open({.on_data = [](Connection& connection, InBuffer& in) {
    if (in.size() < 10) return;
    connection.out().append_copy(in.readable());
    in.consume(in.size());
  }});
  peer.room(4);
  peer.send("01234");
  idle();
  peer.send("56789");
  idle();
  EXPECT_EQ(connection().unsent_bytes(), 6U);
  peer.room(100);
  idle();
  EXPECT_EQ(connection().unsent_bytes(), 0U);
  EXPECT_EQ(peer.take(), "0123456789");
}

TEST_F(ConnectionTest, ManyConnectionsShareTheReceiveArea) {
  std::deque<Record> records(50);
  std::vector<MemoryPeer> peers;
  for (Record& each : records) {
    peers.push_back(open(each, {.on_data = [](Connection& connection, InBuffer& in) {
                           if (in.size() < 6) return;  // keeps the first half
                           connection.out().append_copy(in.readable());
                           in.consume(in.size());
                         }}));
  }
  for (std::size_t i = 0; i < peers.size(); ++i) peers[i].send("<" + std::to_string(100 + i) + "|");
  idle();
  for (MemoryPeer& peer : peers) peer.send(">");
  idle();
  for (std::size_t i = 0; i < peers.size(); ++i) {
    EXPECT_EQ(peers[i].take(), "<" + std::to_string(100 + i) + "|>");
  }
}

}  // namespace
}  // namespace ssx::net
