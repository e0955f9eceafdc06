#include "ssxrver/db/database.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>
#include <string>
#include <utility>

#include "ssxrver/net/timeout.h"
#include "tests/db/database_fixture.h"

namespace ssx::db {
namespace {

using Ends = std::vector<std::string>;

std::string end_of(const auto& result) {
  return result ? "ok" : result.error().error().code().message();
}

// ---- query

Task<> count_rows(Database& base, std::string sql, Ends& ends) {
  const auto rows = co_await base.query(sql);
  ends.push_back(rows ? std::to_string(rows->size()) : end_of(rows));
}

TEST_F(DatabaseTest, GivesAsManyRowsAsTheLimitSays) {
  make({.pool_max = 1, .rows_max = 10});
  for (const auto* sql : {"ROWS 0", "ROWS 9", "ROWS 10", "ROWS 11"}) {
    start(count_rows(*db, sql, ends));
  }
  EXPECT_THAT(ends, ElementsAre("0", "9", "10", text(Errc::kTooManyRows)));
  EXPECT_EQ(counters().rows_max_hit.value(), 1u);
  EXPECT_EQ(counters().reset.value(), 1u);  // the rest of the eleven rows
  EXPECT_EQ(driver->connects, 1);
}

TEST_F(DatabaseTest, GivesAsManyBytesAsTheLimitSays) {
  make({.pool_max = 1, .bytes_max = 4096});
  for (const auto* sql : {"WIDE 4079", "WIDE 4080", "WIDE 4081"}) {
    start(count_rows(*db, sql, ends));
  }
  EXPECT_THAT(take_ends(), ElementsAre("1", "1", text(Errc::kResultTooLarge)));
  EXPECT_EQ(counters().bytes_max_hit.value(), 1u);
  for (const auto* sql : {"ROWS 256", "ROWS 257"}) start(count_rows(*db, sql, ends));
  EXPECT_THAT(ends, ElementsAre("256", text(Errc::kResultTooLarge)));
  EXPECT_EQ(counters().bytes_max_hit.value(), 2u);
}

TEST_F(DatabaseTest, TakesAStatementOfAsManyBytesAsTheLimitSays) {
  make({.pool_max = 1, .statement_bytes_max = 1024});
  const auto ask_with = [](Database& base, std::size_t size, Ends& told) -> Task<> {
    const auto rows = co_await base.query("x", std::string(size - 1, 'p'));
    told.push_back(end_of(rows));
    auto change = co_await base.begin();
    const auto inside = co_await change->query("x", std::string(size - 1, 'p'));
    told.push_back(end_of(inside));
    const auto stream = co_await base.stream("x", std::string(size - 1, 'p'));
    told.push_back(end_of(stream));
  };
  // The transaction is open while the stream waits for a connection: two of them.
  make({.pool_max = 2, .statement_bytes_max = 1024});
  start(ask_with(*db, 1023, ends));
  start(ask_with(*db, 1024, ends));
  EXPECT_THAT(take_ends(), ElementsAre("ok", "ok", "ok", "ok", "ok", "ok"));
  EXPECT_EQ(counters().statement_bytes_max_hit.value(), 0u);
  start(ask_with(*db, 1025, ends));
  const std::string too_long = text(Errc::kStatementTooLong);
  EXPECT_THAT(ends, ElementsAre(too_long, too_long, too_long));
  EXPECT_EQ(counters().statement_bytes_max_hit.value(), 3u);
}

TEST_F(DatabaseTest, CheckAsksForAConnectionAndGivesItBack) {
  make({.pool_max = 1, .on_unavailable = OnUnavailable::kFail});
  const auto check = [](Database& base, Ends& told) -> Task<> {
    const auto end = co_await base.check();
    told.push_back(end_of(end));
  };
  driver->next_connect = FakeDriver::Connect::kRefused;
  start(check(*db, ends));
  advance(Pool::kBackoffMin);
  driver->next_connect = FakeDriver::Connect::kOk;
  start(check(*db, ends));
  EXPECT_THAT(ends, ElementsAre(text(Errc::kUnavailable), "ok"));
  EXPECT_EQ(counters().idle.value(), 1);
}

// ---- transactions

enum class How : std::uint8_t { kCommit, kRollback, kForget, kThrow, kWait, kLose };

Task<> change(Database& base, How how, Ends& ends) {
  auto transaction = co_await base.begin();
  if (!transaction) co_return ends.push_back(end_of(transaction));
  const auto changed = co_await transaction->query("CHANGE");
  ends.push_back(end_of(changed));
  switch (how) {
    case How::kCommit: {
      const auto end = co_await transaction->commit();
      ends.push_back(end_of(end));
      const auto late = co_await transaction->query("LATE");
      ends.push_back(end_of(late));
      break;
    }
    case How::kRollback: {
      const auto end = co_await transaction->rollback();
      ends.push_back(end_of(end));
      break;
    }
    case How::kForget:
      break;
    case How::kThrow:
      throw std::runtime_error("in the handler");
    case How::kWait:
      co_await net::sleep_for(1h);
      break;
    case How::kLose: {
      const auto lost = co_await transaction->query("LOSE");
      ends.push_back(end_of(lost));
      break;
    }
  }
}

TEST_F(DatabaseTest, ATransactionEndsWithItsCommit) {
  make();
  start(change(*db, How::kCommit, ends));
  EXPECT_THAT(ends, ElementsAre("ok", "ok", text(Errc::kConnectionLost)));
  EXPECT_THAT(take_log(), ElementsAre("1:BEGIN", "1:CHANGE", "1:COMMIT"));
  EXPECT_EQ(counters().idle.value(), 1);
}

TEST_F(DatabaseTest, ATransactionIsRolledBackOnDemand) {
  make();
  start(change(*db, How::kRollback, ends));
  EXPECT_THAT(take_log(), ElementsAre("1:BEGIN", "1:CHANGE", "1:ROLLBACK"));
}

TEST_F(DatabaseTest, ATransactionIsRolledBackWhenItsScopeEnds) {
  make();
  start(change(*db, How::kForget, ends));
  EXPECT_THAT(take_log(), ElementsAre("1:BEGIN", "1:CHANGE", "1:reset"));
  EXPECT_EQ(driver->discards, 0);
}

TEST_F(DatabaseTest, ATransactionIsRolledBackWhenSomethingIsThrown) {
  make();
  start(change(*db, How::kThrow, ends));
  EXPECT_NE(failure, nullptr);
  EXPECT_THAT(take_log(), ElementsAre("1:BEGIN", "1:CHANGE", "1:reset"));
}

TEST_F(DatabaseTest, ATransactionIsRolledBackWhenItsTaskIsCancelled) {
  make();
  const auto impatient = [](Database& base, Ends& told) -> Task<> {
    std::ignore = co_await net::with_timeout(1s, change(base, How::kWait, told));
  };
  start(impatient(*db, ends));
  ask("b", "x");
  advance(1s);
  EXPECT_THAT(take_log(), ElementsAre("1:BEGIN", "1:CHANGE", "1:reset", "1:x"));
}

TEST_F(DatabaseTest, ATransactionWhoseConnectionIsLostIsOver) {
  make();
  start(change(*db, How::kLose, ends));
  ask("b", "x");
  EXPECT_THAT(ends, ElementsAre("ok", text(Errc::kConnectionLost), "b"));
  EXPECT_THAT(take_log(), ElementsAre("1:BEGIN", "1:CHANGE", "2:x"));
}

TEST_F(DatabaseTest, AfterAQueryThatTookTooLongATransactionIsOver) {
  make({.pool_max = 1, .query_timeout = 1s});
  const auto slow = [](Database& base, Ends& told) -> Task<> {
    auto transaction = co_await base.begin();
    const auto late = co_await transaction->query("SLEEP 2000");
    told.push_back(end_of(late));
    const auto next = co_await transaction->query("x");
    told.push_back(end_of(next));
    const auto end = co_await transaction->commit();
    told.push_back(end_of(end));
  };
  start(slow(*db, ends));
  advance(1s);
  EXPECT_THAT(ends, ElementsAre(text(Errc::kQueryTimedOut), text(Errc::kConnectionLost),
                                text(Errc::kConnectionLost)));
  EXPECT_EQ(driver->open, 0);
}

/// A statement in a transaction, then another, then commit.
Task<> change_with(Database& base, std::string sql, Ends& ends) {
  auto transaction = co_await base.begin();
  const auto first = co_await transaction->query(sql);
  ends.push_back(end_of(first));
  const auto next = co_await transaction->query("NEXT");
  ends.push_back(end_of(next));
  const auto end = co_await transaction->commit();
  ends.push_back(end_of(end));
}

TEST_F(DatabaseTest, WhatIsUndoneByTheDatabaseDoesNotGoOnWithoutATransaction) {
  const std::string over = text(Errc::kConnectionLost);
  make();
  start(change_with(*db, "CONFLICT", ends));
  EXPECT_THAT(take_ends(), ElementsAre(text(Errc::kConflict), over, over));
  EXPECT_THAT(take_log(), ElementsAre("1:BEGIN", "1:reset"));
  start(change_with(*db, "FULL", ends));
  EXPECT_THAT(take_ends(), ElementsAre(text(Errc::kFull), over, over));
  EXPECT_THAT(take_log(), ElementsAre("1:BEGIN"));
  EXPECT_EQ(counters().idle.value(), 1);
}

TEST_F(DatabaseTest, WhatEndsATransactionAtTheDatabaseEndsItHere) {
  const std::string over = text(Errc::kConnectionLost);
  make();
  for (const auto* sql : {"DEFINE", "COMMIT"}) {
    start(change_with(*db, sql, ends));
    EXPECT_THAT(take_ends(), ElementsAre("ok", over, over)) << sql;
  }
  EXPECT_THAT(take_log(), ElementsAre("1:BEGIN", "1:DEFINE", "1:BEGIN", "1:COMMIT"));
}

TEST_F(DatabaseTest, AStatementThatIsRefusedLeavesTheTransactionOpen) {
  make();
  start(change_with(*db, "REFUSE", ends));
  EXPECT_THAT(take_ends(), ElementsAre(text(Errc::kConstraint), "ok", "ok"));
  start(change_with(*db, "ROWS 7", ends));
  EXPECT_THAT(take_ends(), ElementsAre("ok", "ok", "ok"));
}

TEST_F(DatabaseTest, AQueryThatIsGivenUpEndsItsTransaction) {
  make();
  const auto impatient = [](Database& base, Ends& told) -> Task<> {
    auto transaction = co_await base.begin();
    std::ignore = co_await net::with_timeout(1s, transaction->query("SLEEP 2000"));
    const auto next = co_await transaction->query("NEXT");
    told.push_back(end_of(next));
    const auto end = co_await transaction->rollback();
    told.push_back(end_of(end));
  };
  start(impatient(*db, ends));
  advance(1s);
  EXPECT_THAT(ends, ElementsAre(text(Errc::kConnectionLost), text(Errc::kConnectionLost)));
  EXPECT_EQ(counters().cancelled.value(), 1u);
  EXPECT_EQ(counters().discarded.value(), 1u);
  EXPECT_EQ(driver->open, 0);
}

TEST_F(DatabaseTest, NoTransactionBeginsWithoutAConnection) {
  make({.pool_max = 1, .on_unavailable = OnUnavailable::kFail});
  driver->next_connect = FakeDriver::Connect::kRefused;
  start(change(*db, How::kCommit, ends));
  EXPECT_THAT(ends, ElementsAre(text(Errc::kUnavailable)));
}

// ---- streams

Task<> read(Database& base, BatchLimits limits, Duration pause, int batches, Ends& ends) {
  Statement statement("ROWS 25");
  auto stream = co_await base.stream(std::move(statement), limits);
  for (int i = 0; i < batches; ++i) {
    const auto batch = co_await stream->next();
    ends.push_back(batch ? std::to_string(batch->size()) : end_of(batch));
    if (pause > 0s) co_await net::sleep_for(pause);
  }
}

TEST_F(DatabaseTest, AStreamGivesBatchesAndThenNothing) {
  make();
  start(read(*db, {.rows_max = 10, .bytes_max = 4096}, 0s, 5, ends));
  EXPECT_THAT(ends, ElementsAre("10", "10", "5", "0", "0"));
  EXPECT_THAT(take_log(), ElementsAre("fetch", "fetch"));
  EXPECT_EQ(counters().reset.value(), 0u);
}

TEST_F(DatabaseTest, AStreamAsksForTheNextBatchOnlyWhenItIsWanted) {
  make();
  start(read(*db, {.rows_max = 10, .bytes_max = 4096}, 1s, 3, ends));
  EXPECT_THAT(take_log(), IsEmpty());
  ask("b", "x");  // has no connection until the last row has been read
  advance(1s);
  EXPECT_THAT(take_log(), ElementsAre("fetch"));
  EXPECT_THAT(take_ends(), ElementsAre("10", "10"));
  advance(1s);
  EXPECT_THAT(take_log(), ElementsAre("fetch", "1:x"));
  EXPECT_THAT(take_ends(), ElementsAre("5", "b"));
}

TEST_F(DatabaseTest, AStreamOfOneBatchHoldsNoConnection) {
  make();
  start(read(*db, {.rows_max = 25, .bytes_max = 4096}, 1h, 1, ends));
  ask("b", "x");
  EXPECT_THAT(ends, ElementsAre("25", "b"));
}

TEST_F(DatabaseTest, AStreamIsOneQueryHoweverManyBatchesItHas) {
  make();
  start(read(*db, {.rows_max = 10, .bytes_max = 4096}, 0s, 5, ends));
  EXPECT_EQ(counters().done.value(), 1u);
  start(read(*db, {.rows_max = 10, .bytes_max = 4096}, 0s, 1, ends));
  EXPECT_EQ(counters().done.value(), 2u);
  EXPECT_EQ(counters().reset.value(), 1u);
  EXPECT_EQ(counters().failed.value() + counters().cancelled.value(), 0u);
}

TEST_F(DatabaseTest, AStreamThatIsGivenUpLeavesNothingToTheNext) {
  make();
  start(read(*db, {.rows_max = 10, .bytes_max = 4096}, 0s, 1, ends));
  ask("b", "x");
  EXPECT_THAT(ends, ElementsAre("10", "b"));
  EXPECT_THAT(take_log(), ElementsAre("1:reset", "1:x"));
}

}  // namespace
}  // namespace ssx::db
