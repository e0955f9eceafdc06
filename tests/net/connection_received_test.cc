// Bytes that go back to where they came from, without a copy as far as that can be.
#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "tests/net/connection_fixture.h"

namespace ssx::net {
namespace {

using ReceivedBytes = ConnectionTest;

TEST_F(ReceivedBytes, GoBackWhereverTheyWaitMeanwhile) {
  auto peer = open({.on_data = [](Connection& connection, InBuffer& in) {
    const ByteView all = in.readable();
    in.consume(in.size());
    if (!connection.still_has(all)) return connection.out().append_copy(all);
    connection.out().append_lent(all.first(all.size() / 2));
    connection.out().append_static(as_bytes("|"));
    connection.out().append_lent(all.subspan(all.size() / 2));
  }});
  peer.send("first");
  idle();
  EXPECT_EQ(peer.take(), "fi|rst");
  EXPECT_EQ(peer.writes(), 1U);
  peer.room(3);
  for (const char* text : {"second", "third", "fourth"}) {
    peer.send(text);
    idle();
  }
  std::string got;
  for (int i = 0; i < 10; ++i) {
    got += peer.take();
    idle();
  }
  EXPECT_EQ(got, "sec|ondthirdfourth") << "behind what waits, nothing is lent";
  EXPECT_EQ(connection().unsent_bytes(), 0U);
}

TEST_F(ReceivedBytes, StayOnlyForTheirOwnCallback) {
  Record other;
  ByteView first;
  const std::string foreign = "second";
  auto peer = open({.on_data = [&first](Connection& connection, InBuffer& in) {
    first = in.readable();
    EXPECT_TRUE(connection.still_has(first));
    in.consume(in.size());
  }});
  auto another = open(other, {.on_data = [&](Connection& connection, InBuffer& in) {
                        EXPECT_FALSE(connection.still_has(first));
                        EXPECT_FALSE(connection.still_has(as_bytes(foreign)));
                        EXPECT_FALSE(record.connection->still_has(in.readable()));
                        in.consume(in.size());
                      }});
  peer.send("first");
  another.send("second");
  idle();
  ASSERT_EQ(other.count("data(6)"), 1U);
  later([&] { EXPECT_FALSE(connection().still_has(first)); });
}

}  // namespace
}  // namespace ssx::net
