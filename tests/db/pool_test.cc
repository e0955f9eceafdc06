#include "ssxrver/db/pool.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "ssxrver/net/timeout.h"
#include "tests/db/pool_fixture.h"
#include "tests/support/captured_log.h"

namespace ssx::db {
namespace {

// ---- how many

TEST_F(PoolTest, MakesAsManyConnectionsAsThePoolMayHave) {
  make({.pool_max = 3});
  for (int i = 0; i < 2; ++i) borrow(1s);
  EXPECT_EQ(counters().open.value(), 2);
  borrow(1s);
  EXPECT_EQ(counters().open.value(), 3);
  EXPECT_EQ(counters().pool_max_hit.value(), 0u);
  acquire();
  EXPECT_EQ(counters().open.value(), 3);
  EXPECT_EQ(counters().waiting.value(), 1);
  EXPECT_EQ(counters().pool_max_hit.value(), 1u);
  EXPECT_THAT(ends, IsEmpty());
  advance(1s);
  EXPECT_THAT(ends, ElementsAre("lent"));
  EXPECT_EQ(driver->connects, 3);
  EXPECT_EQ(counters().idle.value(), 3);
}

TEST_F(PoolTest, WhoComesFirstIsServedFirst) {
  make();
  ask("a", "SLEEP 100");
  ask("b", "SLEEP 100");
  ask("c", "x");
  ask("d", "x");
  advance(100ms);
  EXPECT_THAT(take_ends(), ElementsAre("a"));
  advance(100ms);
  EXPECT_THAT(ends, ElementsAre("b", "c", "d"));
  EXPECT_EQ(driver->connects, 1);
}

TEST_F(PoolTest, AsManyWaitAsMay) {
  make({.pool_max = 1, .waiters_max = 2});
  borrow(1s);
  acquire();
  acquire();
  EXPECT_EQ(counters().waiting.value(), 2);
  EXPECT_EQ(counters().waiters_max_hit.value(), 0u);
  acquire();
  EXPECT_THAT(take_ends(), ElementsAre("acquire: " + text(Errc::kTooManyWaiters)));
  EXPECT_EQ(counters().waiters_max_hit.value(), 1u);
  advance(1s);
  EXPECT_THAT(take_ends(), ElementsAre("lent", "lent"));
}

TEST_F(PoolTest, NobodyWaitsWhereNobodyMay) {
  make({.pool_max = 1, .waiters_max = 0});
  borrow(1s);
  acquire();
  EXPECT_THAT(take_ends(), ElementsAre("acquire: " + text(Errc::kTooManyWaiters)));
  advance(1s);
  acquire();
  EXPECT_THAT(ends, ElementsAre("lent"));
}

TEST_F(PoolTest, WaitsAsLongAsTheTimeoutAndNotLonger) {
  make({.pool_max = 1, .acquire_timeout = 300ms});
  borrow(299ms);
  acquire();
  advance(299ms);
  EXPECT_THAT(take_ends(), ElementsAre("lent"));
  borrow(1s);
  acquire();
  advance(299ms);
  EXPECT_THAT(ends, IsEmpty());
  advance(1ms);
  EXPECT_THAT(take_ends(), ElementsAre("acquire: " + text(Errc::kAcquireTimedOut)));
  EXPECT_EQ(counters().acquire_timed_out.value(), 1u);
  EXPECT_EQ(counters().waiting.value(), 0);
}

TEST_F(PoolTest, AWaiterThatGoesLeavesItsTurnToTheNext) {
  make();
  borrow(1s);
  const auto impatient = [](Pool& pool) -> Task<> {
    std::ignore = co_await net::with_timeout(500ms, borrow(pool, 1s));
  };
  start(impatient(db->pool()));
  acquire();
  advance(500ms);
  EXPECT_EQ(counters().waiting.value(), 1);
  advance(500ms);
  EXPECT_THAT(ends, ElementsAre("lent"));
}

TEST_F(PoolTest, AGrantThatComesTooLateGoesToTheNext) {
  make();
  // At one moment: the connection comes back, and who would get it gives up before it hears so.
  borrow(500ms);
  const auto impatient = [](Pool& pool) -> Task<> {
    std::ignore = co_await net::with_timeout(500ms, borrow(pool, 1h));
  };
  start(impatient(db->pool()));
  acquire();
  advance(500ms);
  EXPECT_THAT(ends, ElementsAre("lent"));
  EXPECT_EQ(counters().idle.value(), 1);
}

// ---- connecting

TEST_F(PoolTest, WithoutRetryAFailureIsToldAtOnce) {
  make({.pool_max = 1, .on_unavailable = OnUnavailable::kFail});
  driver->next_connect = FakeDriver::Connect::kRefused;
  acquire();
  EXPECT_THAT(take_ends(),
              ElementsAre("connect: " + text(Errc::kUnavailable) + " (2003: refused)"));
  EXPECT_EQ(counters().connect_failed.value(), 1u);
  EXPECT_EQ(counters().open.value(), 0);
  driver->next_connect = FakeDriver::Connect::kOk;
  advance(Pool::kBackoffMin);
  acquire();
  EXPECT_THAT(ends, ElementsAre("lent"));
}

TEST_F(PoolTest, WithoutRetryNobodyTriesDuringTheBackOffAndIsToldWhy) {
  make({.pool_max = 2, .on_unavailable = OnUnavailable::kFail});
  driver->next_connect = FakeDriver::Connect::kRefused;
  acquire();
  driver->next_connect = FakeDriver::Connect::kOk;
  advance(Pool::kBackoffMin - 1ms);
  acquire();
  const std::string refused = "connect: " + text(Errc::kUnavailable) + " (2003: refused)";
  EXPECT_THAT(take_ends(), ElementsAre(refused, refused));
  EXPECT_EQ(driver->connects, 1);
  advance(1ms);
  acquire();
  EXPECT_THAT(ends, ElementsAre("lent"));
}

TEST_F(PoolTest, WhoHasOnlyWaitedDuringTheBackOffIsToldWhy) {
  make({.pool_max = 2, .acquire_timeout = 1s});
  driver->next_connect = FakeDriver::Connect::kRefused;
  acquire();
  for (const auto pause : {100ms, 200ms, 400ms}) advance(pause);
  EXPECT_EQ(driver->connects, 4);
  acquire();  // waits for the end of the pause, at 1500 ms
  acquire();  // waits for one of the two
  advance(999ms);
  const std::string refused = "connect: " + text(Errc::kUnavailable) + " (2003: refused)";
  EXPECT_THAT(take_ends(), ElementsAre(refused));
  advance(1ms);
  EXPECT_THAT(take_ends(), ElementsAre(refused, refused));
  driver->next_connect = FakeDriver::Connect::kOk;
  advance(2s);
  borrow(5s);
  borrow(5s);
  acquire();
  advance(1s);  // since then connections were made: all are lent, and that is why
  EXPECT_THAT(ends, ElementsAre("acquire: " + text(Errc::kAcquireTimedOut)));
}

TEST_F(PoolTest, WhoseTimeEndsWhileItConnectsIsToldSo) {
  make({.pool_max = 1, .acquire_timeout = 3s, .connect_timeout = 3s});
  driver->next_connect = FakeDriver::Connect::kHangs;
  acquire();
  advance(3s);
  EXPECT_THAT(ends, ElementsAre("connect: " + text(Errc::kConnectTimedOut)));
  EXPECT_EQ(counters().acquire_timed_out.value(), 1u);
  EXPECT_EQ(counters().connect_failed.value(), 1u);
}

TEST_F(PoolTest, WithRetryTheNextAttemptIsLaterAndLater) {
  make({.pool_max = 2, .acquire_timeout = 1h});
  driver->next_connect = FakeDriver::Connect::kRefused;
  acquire();
  EXPECT_EQ(driver->connects, 1);
  acquire();  // does not try on its own
  EXPECT_EQ(driver->connects, 1);
  int before = 1;
  for (const auto pause : {100ms, 200ms, 400ms, 800ms, 1600ms, 2000ms, 2000ms}) {
    advance(pause - 1ms);
    EXPECT_EQ(driver->connects, before) << pause.count();
    advance(1ms);
    EXPECT_GT(driver->connects, before) << pause.count();
    before = driver->connects;
  }
  driver->next_connect = FakeDriver::Connect::kOk;
  advance(2000ms);
  EXPECT_THAT(take_ends(), ElementsAre("lent", "lent"));
  driver->next_connect = FakeDriver::Connect::kRefused;
  for (int i = 0; i < 3; ++i) acquire();
  EXPECT_THAT(ends, ElementsAre("lent", "lent", "lent"));
}

TEST_F(PoolTest, AnOutageIsToldTheLogOnceAndItsEnd) {
  make({.pool_min = 1, .pool_max = 3, .acquire_timeout = 1s});
  driver->next_connect = FakeDriver::Connect::kRefused;
  const test::CapturedLog log(log::Level::kInfo);
  start(db->pool().tend("shop"));
  const std::string warning =
      "database \"shop\" cannot be had: connect: " + text(Errc::kUnavailable) +
      " (2003: refused); not told again until it is there";
  EXPECT_THAT(log.lines(), ElementsAre(warning));
  for (int i = 0; i < 3; ++i) acquire();
  for (int i = 0; i < 50; ++i) advance(100ms);
  EXPECT_THAT(log.lines(), ElementsAre(warning));
  const int failed = driver->connects;
  EXPECT_GT(failed, 4);
  EXPECT_EQ(counters().connect_failed.value(), static_cast<std::uint64_t>(failed));
  driver->next_connect = FakeDriver::Connect::kOk;
  for (int i = 0; i < 30; ++i) advance(100ms);
  const std::string end =
      "database \"shop\" is there again; attempts that have failed: " + std::to_string(failed);
  EXPECT_THAT(log.lines(), ElementsAre(warning, end));
  // One more connection is no news, and the next outage has lines of its own.
  borrow(10s);
  borrow(10s);
  EXPECT_EQ(log.lines().size(), 2u);
  driver->next_connect = FakeDriver::Connect::kRefused;
  acquire();
  advance(50ms);
  driver->next_connect = FakeDriver::Connect::kOk;
  advance(50ms);
  EXPECT_THAT(log.lines(),
              ElementsAre(warning, end, warning,
                          "database \"shop\" is there again; attempts that have failed: 1"));
}

TEST_F(PoolTest, AConnectThatHangsIsAnOutageToo) {
  make({.pool_max = 1, .acquire_timeout = 1h, .connect_timeout = 2s});
  driver->next_connect = FakeDriver::Connect::kHangs;
  const test::CapturedLog log;
  start(db->pool().tend());
  acquire();
  advance(2s - 1ms);
  EXPECT_THAT(log.lines(), IsEmpty());
  advance(1ms);
  EXPECT_THAT(log.lines(),
              ElementsAre("database \"fake\" cannot be had: connect: " +
                          text(Errc::kConnectTimedOut) + "; not told again until it is there"));
}

TEST_F(PoolTest, NothingIsToldTheLogOfAPoolThatNobodyTends) {
  make({.pool_max = 1, .on_unavailable = OnUnavailable::kFail});
  driver->next_connect = FakeDriver::Connect::kRefused;
  const test::CapturedLog log(log::Level::kInfo);
  acquire();
  driver->next_connect = FakeDriver::Connect::kOk;
  advance(Pool::kBackoffMin);
  acquire();
  EXPECT_THAT(take_ends(), ElementsAre(testing::HasSubstr("refused"), "lent"));
  EXPECT_THAT(log.lines(), IsEmpty());
}

TEST_F(PoolTest, AConnectionThatIsLostIsNoOutageWhereAnotherIsMade) {
  make();
  const test::CapturedLog log(log::Level::kInfo);
  start(db->pool().tend("shop"));
  ask("a", "LOSE");
  ask("b", "x");
  EXPECT_EQ(driver->connects, 2);
  EXPECT_THAT(log.lines(), IsEmpty());
}

TEST_F(PoolTest, WhoRetriedInVainIsToldTheReason) {
  make({.pool_max = 1, .acquire_timeout = 1s});
  driver->next_connect = FakeDriver::Connect::kRefused;
  acquire();
  advance(999ms);
  EXPECT_THAT(ends, IsEmpty());
  advance(1ms);
  EXPECT_THAT(ends, ElementsAre("connect: " + text(Errc::kUnavailable) + " (2003: refused)"));
  EXPECT_EQ(counters().open.value(), 0);
}

TEST_F(PoolTest, ConnectingHasATimeOfItsOwn) {
  make({.pool_max = 1,
        .acquire_timeout = 1h,
        .connect_timeout = 2s,
        .on_unavailable = OnUnavailable::kFail});
  driver->next_connect = FakeDriver::Connect::kHangs;
  acquire();
  advance(2s - 1ms);
  EXPECT_THAT(ends, IsEmpty());
  advance(1ms);
  EXPECT_THAT(ends, ElementsAre("connect: " + text(Errc::kConnectTimedOut)));
  EXPECT_EQ(counters().open.value(), 0);
}

TEST_F(PoolTest, AConnectThatIsCancelledLeavesItsPlaceToTheNext) {
  make({.pool_max = 1, .acquire_timeout = 500ms, .connect_timeout = 1h});
  driver->next_connect = FakeDriver::Connect::kHangs;
  acquire();
  advance(400ms);
  acquire();
  driver->next_connect = FakeDriver::Connect::kOk;
  advance(100ms);
  EXPECT_THAT(take_ends(), ElementsAre("connect: " + text(Errc::kConnectTimedOut)));
  advance(Pool::kBackoffMin);
  EXPECT_THAT(ends, ElementsAre("lent"));
}

// ---- what time does

TEST_F(PoolTest, AConnectionThatWasIdleForLongIsAskedFirst) {
  make({.pool_max = 1, .ping_after = 30s});
  ask("a", "x");
  advance(30s - 1ms);
  ask("b", "x");
  EXPECT_EQ(driver->pings, 0);
  advance(30s);
  ask("c", "x");
  EXPECT_EQ(driver->pings, 1);
  driver->server_answers = false;
  advance(30s);
  ask("d", "x");
  EXPECT_EQ(driver->pings, 2);
  EXPECT_EQ(driver->connects, 2);
  EXPECT_THAT(ends, ElementsAre("a", "b", "c", "d"));
}

TEST_F(PoolTest, AnOldConnectionIsReplacedWhenItIsWanted) {
  make({.pool_max = 1, .max_lifetime = 1min, .ping_after = 1h});
  ask("a", "x");
  advance(1min - 1ms);
  ask("b", "x");
  EXPECT_EQ(driver->connects, 1);
  advance(1ms);
  ask("c", "x");
  EXPECT_EQ(driver->connects, 2);
  EXPECT_EQ(counters().expired.value(), 1u);
}

TEST_F(PoolTest, TendingClosesWhatIsIdleDownToTheMinimum) {
  make({.pool_min = 1, .pool_max = 3, .idle_timeout = 10s, .max_lifetime = 0ms});
  start(db->pool().tend());
  EXPECT_EQ(driver->open, 1);
  for (int i = 0; i < 3; ++i) borrow(1s);
  advance(1s);
  EXPECT_EQ(driver->open, 3);
  for (int i = 0; i < 9; ++i) advance(1s);
  EXPECT_EQ(driver->open, 3);
  advance(1s);
  EXPECT_EQ(driver->open, 1);
  EXPECT_EQ(counters().expired.value(), 2u);
}

TEST_F(PoolTest, TendingReplacesWhatIsOld) {
  make({.pool_min = 2, .pool_max = 3, .max_lifetime = 5s});
  start(db->pool().tend());
  EXPECT_EQ(driver->connects, 2);
  for (int i = 0; i < 5; ++i) advance(1s);
  EXPECT_EQ(driver->connects, 4);
  EXPECT_EQ(driver->open, 2);
}

TEST_F(PoolTest, TendingTriesAgainWhenTheServerIsBack) {
  make({.pool_min = 1, .pool_max = 1});
  driver->next_connect = FakeDriver::Connect::kRefused;
  start(db->pool().tend());
  advance(1s);
  EXPECT_EQ(driver->open, 0);
  driver->next_connect = FakeDriver::Connect::kOk;
  advance(1s);
  EXPECT_EQ(driver->open, 1);
}

// ---- the end

TEST_F(PoolTest, AClosedPoolLendsNothing) {
  make({.pool_max = 2});
  borrow(1s);
  ask("a", "x");
  borrow(1s);
  acquire();
  db->pool().close();
  idle();
  EXPECT_THAT(take_ends(), ElementsAre("a", "acquire: " + text(Errc::kShutDown)));
  EXPECT_EQ(driver->open, 2);
  acquire();
  EXPECT_THAT(take_ends(), ElementsAre("acquire: " + text(Errc::kShutDown)));
  advance(1s);
  EXPECT_EQ(driver->open, 0);
  EXPECT_EQ(counters().open.value(), 0);
}

TEST_F(PoolTest, ClosingEndsTheConnectionsThatAreBeingMade) {
  make({.pool_min = 1, .pool_max = 2, .acquire_timeout = 1h, .connect_timeout = 1h});
  driver->next_connect = FakeDriver::Connect::kHangs;
  start(db->pool().tend());
  acquire();
  EXPECT_EQ(counters().open.value(), 2);
  db->pool().close();
  idle();
  EXPECT_THAT(ends, ElementsAre("acquire: " + text(Errc::kShutDown)));
  EXPECT_EQ(counters().open.value(), 0);
  EXPECT_EQ(counters().connect_failed.value(), 0u);
}

TEST_F(PoolTest, ClosingEndsThePauseOfTheBackOff) {
  make({.pool_max = 1, .acquire_timeout = 1h});
  driver->next_connect = FakeDriver::Connect::kRefused;
  acquire();
  acquire();
  db->pool().close();
  idle();
  EXPECT_THAT(
      ends, ElementsAre("acquire: " + text(Errc::kShutDown), "acquire: " + text(Errc::kShutDown)));
  EXPECT_EQ(driver->connects, 1);
  EXPECT_EQ(counters().open.value(), 0);
}

TEST_F(PoolTest, EveryConnectionIsCountedOnceAtItsEnd) {
  make({.pool_max = 3, .max_lifetime = 1min});
  ask("a", "LOSE");
  ask("b", "x");
  advance(1min);
  ask("c", "x");
  borrow(1s);
  borrow(1s);
  db->pool().close();
  advance(1s);
  EXPECT_EQ(driver->open, 0);
  EXPECT_EQ(counters().connected.value(), 4u);
  EXPECT_EQ(counters().discarded.value(), 1u);
  EXPECT_EQ(counters().expired.value(), 1u);
  EXPECT_EQ(counters().shut_down.value(), 2u);
}

TEST_F(PoolTest, APingThatIsGivenUpIsNoQuery) {
  make({.pool_max = 1, .acquire_timeout = 500ms, .ping_after = 0ms});
  ask("a", "x");
  driver->ping_takes = 1s;
  acquire();
  advance(500ms);
  EXPECT_EQ(counters().cancelled.value(), 0u);
  EXPECT_EQ(counters().discarded.value(), 1u);
}

TEST_F(PoolTest, TheEndOfTheLoopBringsEverythingBack) {
  make({.pool_max = 2});
  start(db->pool().tend());
  borrow(1h);
  ask("a", "SLEEP 100000");
  acquire();
  ask("b", "BEGIN");
  end_loop();
  EXPECT_EQ(counters().open.value(), counters().idle.value());
  EXPECT_EQ(counters().waiting.value(), 0);
  db.reset();  // asserts that nothing is lent
}

}  // namespace
}  // namespace ssx::db
