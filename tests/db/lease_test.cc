// What comes back to the pool, and in which state.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <tuple>

#include "ssxrver/net/timeout.h"
#include "tests/db/pool_fixture.h"

namespace ssx::db {
namespace {

TEST_F(PoolTest, AConnectionThatWasLostIsNotLentAgain) {
  make();
  ask("a", "LOSE");
  EXPECT_THAT(take_ends(), ElementsAre("a: " + text(Errc::kConnectionLost)));
  EXPECT_EQ(driver->open, 0);
  EXPECT_EQ(counters().discarded.value(), 1u);
  ask("b", "x");
  EXPECT_THAT(take_log(), ElementsAre("2:x"));
}

TEST_F(PoolTest, WhenOneIsLostTheIdleOnesAreAskedFirst) {
  make({.pool_max = 2});
  borrow(10ms);
  borrow(10ms);
  advance(10ms);
  EXPECT_EQ(counters().idle.value(), 2);
  ask("a", "x");
  EXPECT_EQ(driver->pings, 0);
  driver->server_answers = false;
  ask("b", "LOSE");
  ask("c", "x");
  EXPECT_EQ(driver->pings, 1);
  EXPECT_THAT(take_ends(), ElementsAre("a", "b: " + text(Errc::kConnectionLost), "c"));
  EXPECT_EQ(driver->connects, 3);
  ask("d", "x");  // the new one is not doubted
  EXPECT_EQ(driver->pings, 1);
}

TEST_F(PoolTest, OneThatWasLentAndDidNotAnswerSinceALossIsAskedFirst) {
  make({.pool_max = 2});
  borrow(10ms);
  ask("a", "LOSE");
  advance(10ms);
  EXPECT_EQ(driver->pings, 0);
  ask("b", "x");
  EXPECT_EQ(driver->pings, 1);
  ask("c", "x");  // it has answered
  EXPECT_EQ(driver->pings, 1);
  EXPECT_EQ(driver->connects, 2);
}

TEST_F(PoolTest, OneThatTheServerHasEndedIsReplacedBeforeItIsLent) {
  make({.pool_max = 1});
  ask("a", "x");
  driver->has_hung_up = true;
  ask("b", "x");
  EXPECT_EQ(driver->pings, 0);
  EXPECT_EQ(driver->connects, 2);
  EXPECT_EQ(counters().discarded.value(), 1u);
  EXPECT_THAT(take_log(), ElementsAre("1:x", "2:x"));
  EXPECT_THAT(take_ends(), ElementsAre("a", "b"));
}

TEST_F(PoolTest, ARefusedStatementCostsNoConnection) {
  make();
  ask("a", "REFUSE");
  ask("b", "x");
  EXPECT_THAT(ends, ElementsAre("a: " + text(Errc::kConstraint), "b"));
  EXPECT_EQ(driver->connects, 1);
  EXPECT_EQ(counters().failed.value(), 1u);
  EXPECT_EQ(counters().done.value(), 1u);
}

TEST_F(PoolTest, WhatWasLeftOpenIsResetBeforeTheNextBorrower) {
  make();
  driver->reset_takes = 100ms;
  ask("a", "BEGIN");
  ask("b", "x");
  EXPECT_THAT(take_ends(), ElementsAre("a"));
  advance(100ms);
  EXPECT_THAT(ends, ElementsAre("b"));
  EXPECT_THAT(take_log(), ElementsAre("1:BEGIN", "1:reset", "1:x"));
  EXPECT_EQ(counters().reset.value(), 1u);
}

TEST_F(PoolTest, AResetThatFailsOrHangsCostsTheConnection) {
  make({.pool_max = 1, .acquire_timeout = 1h, .connect_timeout = 2s});
  driver->server_answers = false;
  ask("a", "BEGIN");
  ask("b", "BEGIN");
  EXPECT_EQ(driver->discards, 2);
  driver->reset_takes = 1h;
  ask("c", "BEGIN");
  ask("d", "x");
  advance(2s - 1ms);
  EXPECT_THAT(take_ends(), ElementsAre("a", "b", "c"));
  advance(1ms);
  EXPECT_THAT(take_ends(), ElementsAre("d"));
  EXPECT_EQ(driver->discards, 3);
}

TEST_F(PoolTest, AQueryThatTakesTooLongCostsItsConnection) {
  make({.pool_max = 1, .query_timeout = 1s});
  ask("a", "SLEEP 999");
  advance(999ms);
  EXPECT_THAT(take_ends(), ElementsAre("a"));
  ask("b", "SLEEP 1001");
  ask("c", "x");
  advance(1s);
  EXPECT_THAT(ends, ElementsAre("b: " + text(Errc::kQueryTimedOut), "c"));
  EXPECT_EQ(counters().timed_out.value(), 1u);
  EXPECT_EQ(counters().discarded.value(), 1u);
  EXPECT_EQ(driver->open, 1);
}

TEST_F(PoolTest, ZeroMeansThatAQueryMayTakeAsLongAsItLikes) {
  make({.pool_max = 1, .query_timeout = 0ms});
  ask("a", "SLEEP 86400000");
  advance(23h);
  EXPECT_THAT(ends, IsEmpty());
  advance(1h);
  EXPECT_THAT(ends, ElementsAre("a"));
}

TEST_F(PoolTest, AQueryThatNobodyAwaitsAnyMoreCostsItsConnection) {
  make();
  const auto impatient = [](Database& base) -> Task<> {
    std::ignore = co_await net::with_timeout(500ms, base.query("SLEEP 1000"));
  };
  start(impatient(*db));
  ask("b", "x");
  advance(500ms);
  EXPECT_THAT(ends, ElementsAre("b"));
  EXPECT_EQ(counters().cancelled.value(), 1u);
  EXPECT_EQ(driver->discards, 1);
  EXPECT_THAT(take_log(), ElementsAre("2:x"));
}

}  // namespace
}  // namespace ssx::db
