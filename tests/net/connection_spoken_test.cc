// A connection that has spoken before it was accepted: it is read before the poller knows of it.
#include <gtest/gtest.h>

#include <cerrno>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tests/net/kernel_connection_fixture.h"
#include "tests/support/captured_log.h"
#include "tests/support/raw_client.h"
#include "tests/support/sample_text.h"
#include "tests/support/sim/kernel.h"

namespace ssx::net {
namespace {

using sim::Call;
using sim::CallWatch;

void echo(Connection& connection, InBuffer& in) {
  connection.out().append_copy(in.readable());
  in.consume(in.size());
}

void echo_once(Connection& connection, InBuffer& in) {
  echo(connection, in);
  connection.close_after_flush(Connection::Linger::kNo);
}

class Spoken : public KernelConnectionTest {
 protected:
  void take(Accepted accepted, Hooks hooks = {}) { take(std::move(accepted), record, hooks); }
  void take(Accepted accepted, Record& into, Hooks hooks) {
    accepted.has_spoken = true;
    table.adopt(std::move(accepted), test::record_into(into, std::move(hooks)));
  }
  void run_until_closed() {
    run_until([this] { return record.closes == 1; });
  }
};

TEST_F(Spoken, WhoIsAnsweredAndGoneCostsThePollerNothing) {
  Accepted accepted = accept("question");
  const CallWatch watch;
  take(std::move(accepted), {.on_data = echo_once});
  run_until_closed();
  EXPECT_EQ(watch.of(Call::kEpollAdd) + watch.of(Call::kEpollModify), 0U);
  EXPECT_EQ(watch.of(Call::kEpollRemove), 0U);
  EXPECT_EQ(client.read_to_end(), "question");
  EXPECT_FALSE(client.was_reset());
  EXPECT_TRUE(table.empty());
}

TEST_F(Spoken, WhoStaysIsWatchedWhenAnswered) {
  Accepted accepted = accept("one");
  const CallWatch watch;
  take(std::move(accepted), {.on_data = echo});
  loop->run_until_idle();
  EXPECT_EQ(client.read(3), "one");
  for (const std::string text : {"two", "six"}) {
    ASSERT_TRUE(client.send(text));
    std::string got;
    run_until([&] { return (got += client.read_available()) == text; });
  }
  EXPECT_EQ(watch.of(Call::kEpollAdd), 1U);
  EXPECT_EQ(watch.of(Call::kEpollModify), 0U);
}

TEST_F(Spoken, WhoHasSaidNothingAfterAllIsHeardLater) {
  take(accept());
  loop->run_until_idle();
  EXPECT_EQ(record.told(), "open");
  ASSERT_TRUE(client.send("late"));
  run_until([this] { return record.data == "late"; });
}

TEST_F(Spoken, TheEndBehindTheBytesIsTold) {
  Accepted accepted = accept("last");
  client.half_close();
  take(std::move(accepted));
  run_until_closed();
  EXPECT_EQ(record.told(), "open data(4) end close");
}

TEST_F(Spoken, WhoHasGoneAgainIsNeverWatched) {
  Accepted accepted = accept();
  client.reset();
  const CallWatch watch;
  take(std::move(accepted));
  run_until_closed();
  EXPECT_TRUE(record.reason->is_errno(ECONNRESET));
  EXPECT_EQ(watch.of(Call::kEpollAdd), 0U);
}

TEST_F(Spoken, WhatFillsItsRoomIsReadOn) {
  const std::string text = test::sample_text(1 << 20);
  Accepted accepted = accept();
  std::size_t sent = client.send_without_waiting(text);
  ASSERT_GT(sent, Batch::kReceiveRoom);
  take(std::move(accepted));
  run_until([&] {
    sent += client.send_without_waiting(std::string_view(text).substr(sent));
    return record.data.size() == text.size();
  });
  EXPECT_TRUE(record.data == text);
}

TEST_F(Spoken, WhatFindsNoRoomIsSentLater) {
  const std::string text = test::sample_text(20 << 20);
  take(accept("all of it"), {.on_data = [&text](Connection& connection, InBuffer& in) {
         in.consume(in.size());
         connection.out().append_copy(as_bytes(text));
         connection.close_after_flush(Connection::Linger::kNo);
       }});
  std::string got;
  run_until([&] {
    got += client.read_available();
    return got.size() == text.size();
  });
  EXPECT_TRUE(got == text);
  run_until_closed();
}

TEST_F(Spoken, WhoIsNotReadIsWatchedAllTheSame) {
  take(accept("unread"), {.on_open = [](Connection& connection) { connection.pause_reading(); }});
  loop->run_until_idle();
  EXPECT_EQ(record.told(), "open");
  record.connection->resume_reading();
  run_until([this] { return record.data == "unread"; });
  record.connection->pause_reading();
  client.reset();
  run_until_closed();
}

TEST_F(Spoken, WhoIsRefusedByThePollerEnds) {
  const test::CapturedLog log;
  sim::FaultPlan plan;
  Accepted accepted = accept("question");
  plan.fail(Call::kEpollAdd, ENOSPC);
  take(std::move(accepted), {.on_data = echo});
  run_until_closed();
  EXPECT_TRUE(record.reason->is_errno(ENOSPC));
  EXPECT_EQ(log.lines().size(), 1U);
  EXPECT_EQ(client.read(8), "question");
}

TEST_F(Spoken, MoreThanThereAreSeatsAreAllAnswered) {
  std::vector<test::RawClient> clients;
  std::vector<std::unique_ptr<Record>> records;
  for (std::size_t i = 0; i < 2 * Batch::kSeats + 3; ++i) {
    records.push_back(std::make_unique<Record>());
    take(accept("question"), *records.back(), {.on_data = echo_once});
    clients.push_back(std::move(client));
  }
  run_until([this] { return table.empty(); });
  for (auto& each : clients) EXPECT_EQ(each.read_to_end(), "question");
}

TEST_F(Spoken, OneEndsAnotherThatIsYetToBeAnswered) {
  Record other;
  const auto end_other = [&other](Connection& connection, InBuffer& in) {
    echo_once(connection, in);
    other.connection->close(Error(make_error_code(Errc::kClosed), "test"));
  };
  take(accept("one"), {.on_data = end_other});
  test::RawClient first = std::move(client);
  const CallWatch watch;
  take(accept("two"), other, {.on_data = echo});
  run_until([this] { return table.empty(); });
  EXPECT_EQ(first.read_to_end(), "one");
  EXPECT_EQ(other.told(), "open close");
  EXPECT_EQ(watch.of(Call::kEpollAdd), 0U);
}

}  // namespace
}  // namespace ssx::net
