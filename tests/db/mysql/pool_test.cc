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
    database_.reset();
    loop_->run_until_idle();
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
