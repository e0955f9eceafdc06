#include "ssxrver/net/protocol.h"

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "tests/net/connection_fixture.h"

namespace ssx::net {
namespace {

using Linger = Connection::Linger;

Error reason() { return {make_error_code(Errc::kTimedOut), "test"}; }

TEST_F(ConnectionTest, ByDefaultAPeersEndSendsWhatIsQueuedAndCloses) {
  auto peer = open();
  peer.room(0);
  later([this] { connection().out().append_static(as_bytes("answer")); });
  peer.end();
  idle();
  EXPECT_FALSE(peer.saw_close());
  peer.room(100);
  idle();
  EXPECT_EQ(peer.take(), "answer");
  EXPECT_TRUE(peer.saw_close());
}

// ---- E02: ending inside every callback, in every way

struct Ending {
  const char* name;
  std::function<void(Connection&)> end;
};

std::vector<Ending> endings() {
  return {
      {"close", [](Connection& c) { c.close(reason()); }},
      {"reset", [](Connection& c) { c.reset(reason()); }},
      {"close twice", [](Connection& c) { c.close(reason()), c.reset(reason()); }},
      {"flush, close", [](Connection& c) { c.close_after_flush(Linger::kNo), c.close(reason()); }},
      {"flush", [](Connection& c) { c.close_after_flush(Linger::kNo); }},
      {"linger, close",
       [](Connection& c) { c.close_after_flush(Linger::kYes), c.close(reason()); }},
      {"write, close",
       [](Connection& c) {
         c.out().append_static(as_bytes("lost"));
         c.close(reason());
         c.out().append_static(as_bytes("lost too"));
       }},
      {"everything",
       [](Connection& c) {
         c.pause_reading();
         c.close(reason());
         c.resume_reading();
         c.deliver_again();
         c.shutdown_write();
         c.set_deadline(1ns);
         c.close_after_flush(Linger::kYes);
         c.table().close_all(reason(), true);
       }},
  };
}

class EveryCallback : public ConnectionTest {
 protected:
  EveryCallback() {
    options.output_high = 100;
    options.output_low = 10;
  }
  /// A connection that lives through every callback; `hooks` ends it in one of them.
  void live(Record& into, Hooks hooks) {
    hooks.on_end =
        hooks.on_end ? hooks.on_end : [](Connection& c) { c.close_after_flush(Linger::kNo); };
    auto peer = open(into, std::move(hooks));
    const auto here = [&into](auto&& action) {
      if (into.connection != nullptr) action(*into.connection);
    };
    peer.send("request");
    idle();
    peer.room(0);
    later([&here] {
      here([](Connection& c) { c.out().append_copy(as_bytes(std::string(500, 'x'))); });
    });
    peer.room(1000);
    idle();
    later([&here] { here([](Connection& c) { c.set_deadline(1s); }); });
    advance(2s);
    peer.end();
    idle();
    advance(1min);
  }
};

TEST_F(EveryCallback, IsReachedByTheScenario) {
  live(record, {});
  EXPECT_EQ(record.told(), "open data(7) drain deadline end close");
}

TEST_F(EveryCallback, MayEndTheConnectionAndOnCloseComesOnce) {
  using Slot = std::function<void(Connection&)> Hooks::*;
  const std::vector<std::pair<const char*, Slot>> slots = {
      {"open", &Hooks::on_open}, {"drain", &Hooks::on_drain}, {"deadline", &Hooks::on_deadline},
      {"end", &Hooks::on_end},   {"close", &Hooks::on_close},
  };
  for (const Ending& ending : endings()) {
    for (const auto& [name, slot] : slots) {
      Record each;
      Hooks hooks;
      hooks.*slot = ending.end;
      live(each, std::move(hooks));
      EXPECT_EQ(each.closes, 1) << ending.name << " in " << name;
      EXPECT_EQ(each.destroyed, 1);
      EXPECT_EQ(each.events.back(), "close") << ending.name << " in " << name;
      EXPECT_TRUE(connections().empty());
    }
    Record each;
    live(each, {.on_data = [&ending](Connection& c, InBuffer&) { ending.end(c); }});
    EXPECT_EQ(each.closes, 1) << ending.name << " in data";
    EXPECT_EQ(each.events.back(), "close");
  }
}

TEST_F(EveryCallback, MayEndAnotherConnection) {
  Record victim;
  auto victims_peer = open(victim);
  auto peer = open({.on_data = [&victim](Connection&, InBuffer& in) {
    in.consume(in.size());
    victim.connection->close(reason());
  }});
  victims_peer.send("ready in the same turn");
  peer.send("x");
  idle();
  EXPECT_EQ(victim.closes, 1);
  EXPECT_EQ(record.closes, 0);
}

TEST_F(EveryCallback, OnCloseMayEndOthersAndOpenOthers) {
  Record second, third;
  std::vector<MemoryPeer> peers;
  peers.push_back(open(second));
  peers.push_back(open({.on_close = [&](Connection&) {
    second.connection->close(reason());
    peers.push_back(open(third));
  }}));
  peers.back().reset();
  idle();
  EXPECT_EQ(record.closes, 1);
  EXPECT_EQ(second.closes, 1);
  EXPECT_EQ(third.told(), "open");
  EXPECT_EQ(connections().size(), 1U);
}

// ---- a connection that is opened inside a callback of another (a proxy)

TEST_F(ConnectionTest, AConnectionOpenedInsideACallbackDoesNotMixItsOutput) {
  Record upstream;
  MemoryPeer upstream_peer;
  auto peer = open({.on_data = [&](Connection& connection, InBuffer& in) {
    in.consume(in.size());
    connection.out().append_static(as_bytes("to the client, "));
    upstream_peer = open(upstream, {.on_open = [](Connection& other) {
                           other.out().append_static(as_bytes("to upstream"));
                         }});
    connection.out().append_static(as_bytes("all of it"));
  }});
  peer.send("x");
  idle();
  EXPECT_EQ(peer.received(), "to the client, all of it");
  EXPECT_EQ(upstream_peer.received(), "to upstream");
}

TEST_F(ConnectionTest, AConnectionOpenedInsideACallbackMayEndAtOnce) {
  Record inner;
  MemoryPeer inner_peer;
  auto peer = open({.on_data = [&](Connection& connection, InBuffer& in) {
    in.consume(in.size());
    inner_peer = open(inner, {.on_open = [](Connection& other) {
                        other.out().append_static(as_bytes("bye"));
                        other.close_after_flush(Linger::kNo);
                      }});
    connection.out().append_static(as_bytes("answer"));
  }});
  peer.send("x");
  idle();
  EXPECT_EQ(peer.received(), "answer");
  EXPECT_EQ(inner_peer.received(), "bye");
  EXPECT_EQ(inner.closes, 1);
}

// ---- upgrades

class UpgradeTest : public ConnectionTest {
 protected:
  /// Consumes up to '!' and hands the connection over.
  Hooks upgrading() {
    return {.on_data = [this](Connection& connection, InBuffer& in) {
      const auto at = in.text().find('!');
      if (at == std::string_view::npos) return;
      in.consume(at + 1);
      connection.set_protocol(test::record_into(next, test::echo_hooks()));
    }};
  }
  Record next;
};

TEST_F(UpgradeTest, WhatIsUnconsumedGoesToTheNewProtocol) {
  auto peer = open(upgrading());
  peer.send("please!hello");
  idle();
  EXPECT_EQ(record.told(), "open data(12)");
  EXPECT_EQ(next.told(), "open data(5)");
  EXPECT_EQ(peer.take(), "hello");
  EXPECT_EQ(record.destroyed, 1);
  peer.send("again");
  idle();
  EXPECT_EQ(peer.take(), "again");
  peer.end();
  idle();
  EXPECT_EQ(record.closes, 0);  // the old one hears no end
  EXPECT_EQ(next.told(), "open data(5) data(5) end close");
}

TEST_F(UpgradeTest, ASwapAtEverySplitOfTheBytes) {
  const std::string bytes = "please!hello";
  for (std::size_t cut = 1; cut < bytes.size(); ++cut) {
    record = {};
    next = {};
    auto peer = open(upgrading());
    peer.send(bytes.substr(0, cut));
    idle();
    peer.send(bytes.substr(cut));
    idle();
    EXPECT_EQ(peer.take(), "hello") << cut;
  }
}

TEST_F(UpgradeTest, OutsideOnDataTheKeptInputIsHandedOverToo) {
  auto peer = open({.on_data = [](Connection&, InBuffer&) {}});
  peer.send("kept");
  idle();
  later([this] { connection().set_protocol(test::record_into(next, test::echo_hooks())); });
  EXPECT_EQ(peer.take(), "kept");
}

TEST_F(UpgradeTest, TheNewProtocolMaySwapAgainInItsOnOpen) {
  Record last;
  auto peer = open({.on_data = [&](Connection& connection, InBuffer& in) {
    in.consume(1);
    connection.set_protocol(test::record_into(next, {.on_open = [&last](Connection& c) {
                                                c.set_protocol(
                                                    test::record_into(last, test::echo_hooks()));
                                              }}));
  }});
  peer.send("!rest");
  idle();
  EXPECT_EQ(peer.take(), "rest");
  EXPECT_EQ(next.destroyed, 1);
  EXPECT_EQ(last.told(), "open data(4)");
}

TEST_F(UpgradeTest, ClosingAfterTheSwapTellsTheNewOneAlone) {
  auto peer = open({.on_data = [this](Connection& connection, InBuffer& in) {
    in.consume(in.size());
    connection.set_protocol(test::record_into(next));
    connection.close(reason());
  }});
  peer.send("x");
  idle();
  EXPECT_EQ(record.closes, 0);
  EXPECT_EQ(next.told(), "open close");
  EXPECT_EQ(record.destroyed + next.destroyed, 2);
}

TEST_F(UpgradeTest, AfterTheEndTheNewProtocolIsOnlyDestroyed) {
  auto peer = open({.on_data = [this](Connection& connection, InBuffer& in) {
    in.consume(in.size());
    connection.close(reason());
    connection.set_protocol(test::record_into(next));
  }});
  peer.send("x");
  idle();
  EXPECT_EQ(record.told(), "open data(1) close");
  EXPECT_EQ(next.told(), "");
  EXPECT_EQ(next.destroyed, 1);
}

TEST_F(UpgradeTest, InsideOnCloseItIsOnlyDestroyedToo) {
  auto peer = open({.on_close = [this](Connection& connection) {
    connection.set_protocol(test::record_into(next));
  }});
  peer.reset();
  idle();
  idle();
  EXPECT_EQ(record.closes, 1);
  EXPECT_EQ(next.told(), "");
  EXPECT_EQ(next.destroyed, 1);
}

}  // namespace
}  // namespace ssx::net
