// Time and locks: what takes too long is stopped, and who waits is in nobody's way.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <latch>
#include <string>
#include <thread>
#include <utility>

#include "ssxrver/net/timeout.h"
#include "tests/db/sqlite/sqlite_fixture.h"

namespace ssx::db {
namespace {

// ---- time and cancellation

TEST_F(SqliteTest, AQueryThatTakesTooLongIsStopped) {
  make_in_memory({.pool_max = 1, .query_timeout = 1s});
  EXPECT_EQ(error_of(query(kEndless)), Errc::kQueryTimedOut);
  EXPECT_EQ(*(*query("SELECT 7"))[0].get<int>(0), 7);
  // The thread is free again: stop() joins it, and would wait for ever.
  tasks->stop(net::TaskPool::Pending::kRun);
}

TEST_F(SqliteTest, AQueryThatNobodyAwaitsIsStopped) {
  make_in_memory({.pool_max = 1, .query_timeout = 0ms});
  ASSERT_TRUE(query("SELECT 1"));  // the time below is for no connection
  const auto body = [](Database& base) -> Task<> {
    const auto end = co_await net::with_timeout(20ms, base.query(kEndless));
    EXPECT_FALSE(end);
    const auto next = co_await base.query("SELECT 7");
    EXPECT_TRUE(next);
  };
  run(body(*db));
  EXPECT_EQ(db->pool().counters().cancelled.value(), 1u);
  tasks->stop(net::TaskPool::Pending::kRun);
}

TEST_F(SqliteTest, AStreamIsStoppedInTheMiddle) {
  make_in_memory({.pool_max = 1});
  const auto body = [](Database& base) -> Task<> {
    {
      auto stream = co_await base.stream(
          "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT x FROM n");
      const auto batch = co_await stream->next();
      EXPECT_EQ(batch->size(), 1000u);
    }
    const auto next = co_await base.query("SELECT 7");
    EXPECT_EQ(*(*next)[0].get<int>(0), 7);
  };
  run(body(*db));
  EXPECT_EQ(db->pool().counters().discarded.value(), 0u);
}

TEST_F(SqliteTest, WaitsForALockAsLongAsItMay) {
  const PoolOptions two = {.pool_max = 2};
  make({.file = path("lock.db"), .busy_timeout = 30ms}, two);
  ASSERT_TRUE(query("CREATE TABLE t(a)"));
  const auto body = [](Database& base) -> Task<> {
    auto first = co_await base.begin();
    const auto second = co_await base.begin();
    EXPECT_EQ(second.error(), Errc::kConflict);
    const auto end = co_await first->commit();
    EXPECT_TRUE(end);
    const auto third = co_await base.begin();
    EXPECT_TRUE(third);
  };
  run(body(*db));
}

TEST_F(SqliteTest, WhoWaitsForALockCanBeStopped) {
  make({.file = path("lock.db"), .busy_timeout = 1h}, {.pool_max = 2, .query_timeout = 1s});
  ASSERT_TRUE(query("CREATE TABLE t(a)"));
  const auto body = [](Database& base) -> Task<> {
    auto first = co_await base.begin();
    const auto second = co_await base.begin();
    EXPECT_EQ(second.error(), Errc::kQueryTimedOut);
    const auto end = co_await first->commit();
    EXPECT_TRUE(end);
  };
  run(body(*db));
  tasks->stop(net::TaskPool::Pending::kRun);
}

/// One query; counts it when it has ended well.
Task<> ask(Database& base, std::string sql, int& done) {
  const auto end = co_await base.query(sql);
  EXPECT_TRUE(end);
  ++done;
}

TEST_F(SqliteTest, WhoWaitsForALockTakesNoTaskThread) {
  tasks = pool_of({.threads = 1});
  make({.file = path("lock.db"), .busy_timeout = 1h},
       {.pool_max = 9, .acquire_timeout = 1h, .connect_timeout = 1h, .query_timeout = 0ms});
  ASSERT_TRUE(query("CREATE TABLE t(a)"));
  const auto body = [](net::EventLoop& home, Database& base, int& done) -> Task<> {
    auto holder = co_await base.begin();
    const auto first = co_await holder->query("INSERT INTO t VALUES (0)");
    EXPECT_TRUE(first);
    for (int i = 0; i < 7; ++i) {
      net::spawn(home, ask(base, "INSERT INTO t VALUES (1)", done), &net::log_failure);
    }
    co_await net::sleep_for(50ms);  // each of them has met the lock
    const auto seen = co_await base.query("SELECT count(*) FROM t");  // and readers pass
    EXPECT_EQ(*(*seen)[0].get<int>(0), 0);
    EXPECT_EQ(done, 0);
    const auto end = co_await holder->commit();
    EXPECT_TRUE(end);
  };
  int done = 0;
  run(body(*loop, *db, done));
  loop->run_until([&done] { return done == 7; });
  EXPECT_EQ(*(*query("SELECT count(*) FROM t"))[0].get<int>(0), 8);
}

TEST_F(SqliteTest, AFileThatIsLockedWholeIsOpenedWhenItIsFree) {
  make({.file = path("lock.db")}, {.pool_max = 1});
  ASSERT_TRUE(query("CREATE TABLE t(a)"));
  auto holder = std::move(db);
  make({.file = path("lock.db"), .busy_timeout = 1h}, {.pool_max = 1});
  const auto body = [](net::EventLoop& home, Database& owner, Database& other,
                       int& done) -> Task<> {
    {
      auto lease = co_await owner.pool().acquire();
      Statement alone("PRAGMA locking_mode = EXCLUSIVE");
      const auto set = co_await lease->execute(std::move(alone), BatchLimits());
      EXPECT_TRUE(set);
      Statement insert("INSERT INTO t VALUES (1)");
      const auto locked = co_await lease->execute(std::move(insert), BatchLimits());
      EXPECT_TRUE(locked);
      net::spawn(home, ask(other, "SELECT * FROM t", done), &net::log_failure);
      co_await net::sleep_for(50ms);
      EXPECT_EQ(done, 0);
    }
  };
  int done = 0;
  run(body(*loop, *holder, *db, done));
  loop->run_until([&done] { return done == 1; });
  EXPECT_EQ(db->pool().counters().connect_failed.value(), 0u);
  loop->run_until_idle();
  holder.reset();
}

// ---- several loops

/// `writers` coroutines that each add one, `times` times.
Task<> write(Database& base, int times) {
  for (int i = 0; i < times; ++i) {
    auto change = co_await base.begin();
    EXPECT_TRUE(change);
    if (!change) co_return;
    const auto row = co_await change->query("SELECT n FROM counter");
    const auto sum = (*row)[0].get<int>(0);
    const auto done = co_await change->query("UPDATE counter SET n = ?", *sum + 1);
    EXPECT_TRUE(done);
    const auto end = co_await change->commit();
    EXPECT_TRUE(end);
  }
}

TEST_F(SqliteTest, EightCoroutinesOnTwoLoopsLoseNothing) {
  make({.file = path("counter.db")}, {.pool_max = 3, .acquire_timeout = 60s});
  ASSERT_TRUE(query("CREATE TABLE counter(n)"));
  ASSERT_TRUE(query("INSERT INTO counter VALUES (0)"));
  constexpr int kCoroutines = 4;
  constexpr int kTimes = 25;
  const auto work = [this] {
    const auto own = *net::EventLoop::create();
    int left = kCoroutines;
    const auto body = [](Database& base, int& running) -> Task<> {
      co_await write(base, kTimes);
      --running;
    };
    for (int i = 0; i < kCoroutines; ++i) {
      net::spawn(*own, body(*db, left), &net::log_failure);
    }
    own->run_until([&left] { return left == 0; });
    own->stop();
    own->run();
  };
  std::thread first(work);
  std::thread second(work);
  first.join();
  second.join();
  EXPECT_EQ(*(*query("SELECT n FROM counter"))[0].get<int>(0), 2 * kCoroutines * kTimes);
  EXPECT_LE(db->pool().counters().connected.value(), 3u);
}

TEST_F(SqliteTest, IsClosedWhileOtherLoopsBorrowAndConnect) {
  // No connection is lent twice: there is always one that is being made.
  make({.file = path("busy.db")}, {.pool_max = 2, .acquire_timeout = 60s, .max_lifetime = 1ms});
  ASSERT_TRUE(query("CREATE TABLE t(a)"));
  std::latch begun(2);
  const auto body = [](Pool& pool, std::latch& under_way, bool& done) -> Task<> {
    for (int i = 0;; ++i) {
      const auto lease = co_await pool.acquire();
      if (!lease) {
        EXPECT_EQ(lease.error(), Errc::kShutDown);
        break;
      }
      if (i == 3) under_way.count_down();
      co_await net::sleep_for(2ms);
    }
    done = true;
  };
  const auto work = [this, &begun, body] {
    const auto own = *net::EventLoop::create();
    bool done = false;
    net::spawn(*own, body(db->pool(), begun, done), &net::log_failure);
    own->run_until([&done] { return done; });
    own->stop();
    own->run();
  };
  std::thread first(work);
  std::thread second(work);
  begun.wait();
  db->pool().close();
  first.join();
  second.join();
  const PoolCounters& counters = db->pool().counters();
  EXPECT_EQ(counters.open.value(), 0);
  EXPECT_EQ(counters.connected.value(),
            counters.discarded.value() + counters.expired.value() + counters.shut_down.value());
}

}  // namespace
}  // namespace ssx::db
