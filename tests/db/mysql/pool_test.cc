// The pool over sessions of a real server: D16, and what the next borrower sees.
#include "ssxrver/db/pool.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "ssxrver/db/database.h"
#include "tests/db/mysql/mysql_fixture.h"

namespace ssx::db::mysql {
namespace {

using testing::ElementsAre;

class MysqlPoolTest : public MysqlTest {
 protected:
  void SetUp() override {
    SSX_NEEDS_PEER(MariadbServer::installed(), "mariadb-server");
    server_.emplace();
    ASSERT_TRUE(server_->start());
  }
  ~MysqlPoolTest() override {
    drop();
    loop_->run_until_idle();
  }
  /// Nothing is lent any more, nor being reset.
  void drop() {
    if (!database_) return;
    const PoolCounters& counters = database_->pool().counters();
    wait_for([&counters] { return counters.open.value() == counters.idle.value(); });
    database_.reset();
  }
  void make(const PoolOptions& pool) {
    auto driver = MysqlDriver::create(options(), pool, nullptr);
    ASSERT_TRUE(driver) << driver.error().message();
    database_.emplace(*std::move(driver), pool);
  }
  template <class... Ts>
  Result<Rows> query(std::string_view sql, const Ts&... parameters) {
    return run(database_->query(sql, parameters...));
  }
  std::string one(std::string_view sql) {
    const auto rows = query(sql);
    EXPECT_TRUE(rows) << rows.error().message();
    return rows ? text_of((*rows)[0][0]) : "";
  }

  std::optional<Database> database_;
};

TEST_F(MysqlPoolTest, HealsAfterTheServerWasKilled) {
  make({.pool_max = 2, .acquire_timeout = 300ms});
  ASSERT_TRUE(query("CREATE TABLE t (a INT) ENGINE=InnoDB"));
  std::optional<Result<Rows>> hit;
  net::spawn(*loop_, keep_result(database_->query("SELECT SLEEP(60)"), hit), &net::log_failure);
  EXPECT_TRUE(eventually([this] { return running_statements() == 1; }));
  server_->kill();
  wait_for([&hit] { return hit.has_value(); });
  ASSERT_FALSE(*hit);
  EXPECT_EQ(errc(hit->error()), Errc::kConnectionLost);
  const auto down = query("SELECT 1");
  ASSERT_FALSE(down);
  EXPECT_TRUE(down.error().is_unavailable()) << down.error().message();
  ASSERT_TRUE(server_->start());
  EXPECT_TRUE(eventually([this] { return query("SELECT 1").has_value(); }));
  EXPECT_EQ(one("SELECT COUNT(*) FROM t"), "0");
}

TEST_F(MysqlPoolTest, ASessionThatWasEndedMeanwhileIsReplacedUnseen) {
  make({.pool_max = 1});
  const std::string id = one("SELECT CONNECTION_ID()");
  server_->ask("KILL " + id);
  EXPECT_TRUE(eventually([this] {
    return server_->ask(
               "SELECT COUNT(*) FROM information_schema.processlist "
               "WHERE user = 'tester'") == "1\n";
  }));
  EXPECT_NE(one("SELECT CONNECTION_ID()"), id);
}

TEST_F(MysqlPoolTest, ASlowQueryEndsInTimeHereAndThere) {
  make({.pool_max = 1, .query_timeout = 200ms});
  const auto slow = query("SELECT SLEEP(60)");
  ASSERT_FALSE(slow);
  EXPECT_EQ(errc(slow.error()), Errc::kQueryTimedOut);
  EXPECT_EQ(one("SELECT 'new'"), "new");
  EXPECT_TRUE(eventually([this] { return running_statements() == 0; }));
}

TEST_F(MysqlPoolTest, ATransactionThatIsDroppedIsRolledBack) {
  make({.pool_max = 1});
  ASSERT_TRUE(query("CREATE TABLE t (a INT) ENGINE=InnoDB"));
  {
    auto change = run(database_->begin());
    ASSERT_TRUE(change);
    ASSERT_TRUE(run(change->query("INSERT INTO t VALUES (1)")));
    EXPECT_EQ(server_->ask("SELECT COUNT(*) FROM t"), "0\n");
    loop_->post([dropped = *std::move(change)] {});
  }
  EXPECT_EQ(one("SELECT COUNT(*) FROM t"), "0");
  auto change = run(database_->begin());
  ASSERT_TRUE(change);
  ASSERT_TRUE(run(change->query("INSERT INTO t VALUES (2)")));
  ASSERT_TRUE(run(change->commit()));
  EXPECT_EQ(server_->ask("SELECT a FROM t"), "2\n");
}

TEST_F(MysqlPoolTest, NothingRunsOutsideOfATransactionThatADeadlockHasUndone) {
  make({.pool_max = 3});
  ASSERT_TRUE(query("CREATE TABLE t (a INT PRIMARY KEY, b INT) ENGINE=InnoDB"));
  ASSERT_TRUE(query("INSERT INTO t VALUES (1, 0), (2, 0)"));
  auto first = run(database_->begin());
  auto second = run(database_->begin());
  ASSERT_TRUE(first && second);
  ASSERT_TRUE(run(first->query("UPDATE t SET b = 1 WHERE a = 1")));
  ASSERT_TRUE(run(second->query("UPDATE t SET b = 2 WHERE a = 2")));
  std::optional<Result<Rows>> waits;
  net::spawn(*loop_, keep_result(first->query("UPDATE t SET b = 1 WHERE a = 2"), waits),
             &net::log_failure);
  EXPECT_TRUE(eventually([this] { return running_statements() == 1; }));
  const auto other = run(second->query("UPDATE t SET b = 2 WHERE a = 1"));
  wait_for([&waits] { return waits.has_value(); });
  ASSERT_NE(other.has_value(), waits->has_value()) << "one of the two is undone";
  Transaction& undone = other ? *first : *second;
  EXPECT_EQ(errc((other ? *waits : other).error()), Errc::kConflict);
  EXPECT_EQ(errc(run(undone.query("INSERT INTO t VALUES (3, 3)")).error()), Errc::kConnectionLost);
  EXPECT_EQ(errc(run(undone.commit()).error()), Errc::kConnectionLost);
  ASSERT_TRUE(run((other ? *second : *first).commit()));
  EXPECT_EQ(server_->ask("SELECT COUNT(*) FROM t"), "2\n");
}

TEST_F(MysqlPoolTest, NothingRunsOutsideOfATransactionThatWaitedTooLong) {
  for (const char* const rollback : {"OFF", "ON"}) {
    drop();
    server_.emplace(std::vector<std::string>{
        "--innodb-lock-wait-timeout=1",
        std::string("--innodb-rollback-on-timeout=") + rollback,
    });
    ASSERT_TRUE(server_->start());
    make({.pool_max = 3});
    ASSERT_TRUE(query("CREATE TABLE t (a INT PRIMARY KEY, b INT) ENGINE=InnoDB"));
    ASSERT_TRUE(query("INSERT INTO t VALUES (1, 0)"));
    auto holder = run(database_->begin());
    auto waiter = run(database_->begin());
    ASSERT_TRUE(holder && waiter);
    ASSERT_TRUE(run(holder->query("UPDATE t SET b = 1 WHERE a = 1")));
    ASSERT_TRUE(run(waiter->query("INSERT INTO t VALUES (2, 2)")));
    EXPECT_EQ(errc(run(waiter->query("UPDATE t SET b = 2 WHERE a = 1")).error()), Errc::kConflict);
    EXPECT_EQ(errc(run(waiter->query("INSERT INTO t VALUES (3, 3)")).error()),
              Errc::kConnectionLost);
    ASSERT_TRUE(run(holder->commit()));
    EXPECT_TRUE(eventually([this] { return one("SELECT COUNT(*) FROM t") == "1"; })) << rollback;
  }
}

TEST_F(MysqlPoolTest, WhatCommitsOnItsOwnEndsTheTransaction) {
  make({.pool_max = 2});
  ASSERT_TRUE(query("CREATE TABLE t (a INT) ENGINE=InnoDB"));
  auto change = run(database_->begin());
  ASSERT_TRUE(change);
  ASSERT_TRUE(run(change->query("INSERT INTO t VALUES (1)")));
  ASSERT_TRUE(run(change->query("SELECT a FROM t")));
  ASSERT_TRUE(run(change->query("CREATE TABLE u (a INT)")));
  EXPECT_EQ(errc(run(change->query("INSERT INTO t VALUES (2)")).error()), Errc::kConnectionLost);
  EXPECT_EQ(errc(run(change->rollback()).error()), Errc::kConnectionLost);
  EXPECT_EQ(one("SELECT COUNT(*) FROM t"), "1");
}

TEST_F(MysqlPoolTest, WhatEveryDayBringsCostsNoWordMore) {
  make({.pool_max = 1});
  ASSERT_TRUE(query("CREATE TABLE t (a INT) ENGINE=InnoDB"));
  const auto asked = [this] {
    return std::stoi(
        server_->ask("SELECT VARIABLE_VALUE FROM information_schema.GLOBAL_STATUS "
                     "WHERE VARIABLE_NAME = 'Questions'"));
  };
  const auto day = [this](int i) {
    ASSERT_TRUE(query("INSERT INTO t VALUES (?)", i));
    ASSERT_TRUE(query("SELECT a FROM t"));
    auto change = run(database_->begin());
    ASSERT_TRUE(change);
    ASSERT_TRUE(run(change->query("UPDATE t SET a = ?", i)));
    ASSERT_TRUE(run(change->commit()));
  };
  day(0);  // prepares them
  const int before = asked();
  const int again = asked();
  const int own = again - before;  // what asking costs
  constexpr int kTimes = 20;
  for (int i = 0; i < kTimes; ++i) day(i);
  EXPECT_EQ(asked() - again, kTimes * 5 + own);
  EXPECT_EQ(database_->pool().counters().reset.value(), 0U);
}

TEST_F(MysqlPoolTest, ALockByNameEndsWithItsBorrower) {
  make({.pool_max = 1});
  EXPECT_EQ(one("SELECT GET_LOCK('mine', 0)"), "1");
  EXPECT_EQ(one("SELECT IS_FREE_LOCK('mine')"), "1");
  EXPECT_EQ(database_->pool().counters().reset.value(), 1U);
}

TEST_F(MysqlPoolTest, TheNextBorrowerNeverSeesRowsOfTheLast) {
  make({.pool_max = 1});
  for (int round = 0; round < 20; ++round) {
    {
      auto stream = run(database_->stream("SELECT CONCAT('old ', seq) FROM seq_1_to_100000"));
      ASSERT_TRUE(stream);
      const auto batch = run(stream->next());
      ASSERT_TRUE(batch);
      EXPECT_EQ(text_of((*batch)[0][0]), "old 1");
      loop_->post([dropped = *std::move(stream)] {});
    }
    const std::string expected = "new " + std::to_string(round);
    EXPECT_EQ(one("SELECT '" + expected + "'"), expected);
  }
}

TEST_F(MysqlPoolTest, AQueryCanBeCancelledAtAnyMoment) {
  make({.pool_max = 1});
  ASSERT_TRUE(query("SELECT 1"));
  const auto timed = [](Database& database, std::chrono::microseconds time) -> Task<bool> {
    const auto rows = co_await net::with_timeout(
        time, database.query("SELECT CONCAT('old ', seq), SLEEP(0.0001) FROM seq_1_to_20"));
    co_return rows.has_value();
  };
  int finished = 0;
  for (int round = 0; round < 60; ++round) {
    finished += run(timed(*database_, std::chrono::microseconds(round * 150))) ? 1 : 0;
    const std::string expected = "new " + std::to_string(round);
    EXPECT_EQ(one("SELECT '" + expected + "'"), expected);
  }
  EXPECT_LT(finished, 60);
  EXPECT_TRUE(eventually([this] { return running_statements() == 0; }));
}

TEST_F(MysqlPoolTest, SixteenAtOnceShareFourSessions) {
  make({.pool_max = 4});
  std::vector<std::optional<Result<Rows>>> results(16);
  for (std::size_t i = 0; i < results.size(); ++i) {
    net::spawn(*loop_, keep_result(database_->query("SELECT ?, SLEEP(0.01)", i), results[i]),
               &net::log_failure);
  }
  for (std::size_t i = 0; i < results.size(); ++i) {
    wait_for([&results, i] { return results[i].has_value(); });
    ASSERT_TRUE(*results[i]) << results[i]->error().message();
    EXPECT_EQ(text_of((**results[i])[0][0]), std::to_string(i));
  }
  EXPECT_THAT(server_->ask("SHOW GLOBAL STATUS LIKE 'Max_used_connections'"),
              testing::AnyOf("Max_used_connections\t4\n", "Max_used_connections\t5\n"));
}

}  // namespace
}  // namespace ssx::db::mysql
