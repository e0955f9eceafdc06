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
    connection.append_received(all.first(all.size() / 2));
    connection.out().append_static(as_bytes("|"));
    connection.append_received(all.subspan(all.size() / 2));
    in.consume(in.size());
  }});
  peer.send("first");
  idle();
  EXPECT_EQ(peer.take(), "fi|rst");
  EXPECT_EQ(peer.writes(), 1U);
  peer.room(3);
  for (const char* text : {"second", "third", "fourth"}) peer.send(text), idle();
  std::string got;
  for (int i = 0; i < 10; ++i) {
    got += peer.take();
    idle();
  }
  EXPECT_EQ(got, "sec|ondth|irdfou|rth");
  EXPECT_EQ(connection().unsent_bytes(), 0U);
}

TEST_F(ReceivedBytes, AreCopiedOutsideOfTheirCallback) {
  std::string_view seen;
  auto peer = open({.on_data = [&seen](Connection&, InBuffer& in) {
    seen = in.text();
    in.consume(in.size());
  }});
  peer.send("first");
  idle();
  later([this, &seen] {
    connection().append_received(as_bytes(seen));
    connection().append_received(as_bytes("other"));
  });
  EXPECT_EQ(peer.received(), "firstother");
}

}  // namespace
}  // namespace ssx::net
