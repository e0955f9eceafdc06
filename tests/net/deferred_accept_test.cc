// Clients that a server takes when they have spoken (`tcp.defer_accept`), in every mode of
// accepting.
#include <gtest/gtest.h>

#include <string>

#include "tests/net/server_fixture.h"

namespace ssx::net {
namespace {

class DeferredAccept : public EveryMode {
 protected:
  DeferredAccept() { options.tcp.defer_accept = 1s; }
};

INSTANTIATE_TEST_SUITE_P(Accept, DeferredAccept, all_modes(), mode_name);

TEST_P(DeferredAccept, WhoIsAnsweredAndGoneWasServed) {
  start();
  for (int i = 1; i <= 50; ++i) {
    auto client = dial();
    ASSERT_TRUE(client.send("hello quit\n"));
    run_until([this, i] { return counts.closed == i; });
    EXPECT_EQ(client.read_to_end(), "hello quit\n");
  }
  run_until([this] { return counts.destroyed == 50; });
  EXPECT_EQ(server->limits().total(), 0U);
}

TEST_P(DeferredAccept, WhoStaysIsHeardAgain) {
  start();
  auto client = dial();
  ASSERT_TRUE(client.send("one"));
  run_until([this] { return counts.opened == 1; });
  EXPECT_EQ(client.read(3), "one");
  EXPECT_EQ(echo(client, "two"), "two");
}

TEST_P(DeferredAccept, WhoSaysNothingIsTakenAllTheSame) {
  start();
  auto client = dial();
  run_until([this] { return counts.opened == 1; });
  EXPECT_EQ(echo(client, "at last"), "at last");
}

// Who has connected is let in, and served, although it speaks only when a drain has begun.
TEST_P(DeferredAccept, WhoSpeaksDuringADrainIsServed) {
  start();
  auto client = dial();
  bool drained = false;
  server->drain(5s, 5s, [&drained] { drained = true; });
  ASSERT_TRUE(client.send("in time"));
  run_until([&] { return drained; });
  EXPECT_EQ(client.read_to_end(), "in time");
}

}  // namespace
}  // namespace ssx::net
