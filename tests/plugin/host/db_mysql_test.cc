// What a plugin gives up is stopped at a MariaDB server of the test's own.
#include <string>

#include "ssxrver/db/mysql/mysql_driver.h"
#include "tests/plugin/host/database_fixture.h"
#include "tests/support/mariadb_server.h"
#include "tests/support/peer.h"

namespace ssx::plugins {
namespace {

using ssx::test::MariadbServer;
using test::Asked;
using testing::ElementsAre;

class PluginMysql : public test::PluginDatabaseTest {
 protected:
  void SetUp() override {
    SSX_NEEDS_PEER(MariadbServer::installed(), "mariadb-server");
    ASSERT_TRUE(server.start());
    const db::PoolOptions pool{.pool_max = 1};
    db::MysqlOptions options;
    options.unix_socket = server.socket();
    options.user = MariadbServer::user();
    options.password = server.password();
    options.database = MariadbServer::database();
    auto driver = db::mysql::MysqlDriver::create(options, pool, nullptr);
    ASSERT_TRUE(driver) << driver.error().message();
    databases.add("main", *std::move(driver), pool);
    serve();
  }
  /// Statements that the server works on, without the one that asks.
  [[nodiscard]] bool has_running(int wanted) {
    return wait_until([this, wanted] {
      return server.ask(
                 "SELECT COUNT(*) FROM information_schema.processlist WHERE command IN ('Query', "
                 "'Execute') AND id <> CONNECTION_ID() AND user = 'tester'") ==
             std::to_string(wanted) + "\n";
    });
  }

  MariadbServer server;
};

TEST_F(PluginMysql, RowsComeBackAndACancelledQueryIsKilled) {
  EXPECT_THAT(cells("SELECT ?, ?, CAST(18446744073709551615 AS UNSIGNED)", values(7, "Ada")),
              ElementsAre("7", "'Ada'", "18446744073709551615u"));
  Asked slow;
  ASSERT_EQ(start(slow, {.sql = "SELECT SLEEP(60)"}), SSXRVER_PENDING);
  ASSERT_TRUE(has_running(1));
  cancel(slow);
  EXPECT_EQ(held(), 0U);
  EXPECT_TRUE(has_running(0));
  EXPECT_THAT(cells("SELECT 1"), ElementsAre("1"));
  EXPECT_FALSE(slow.told);
}

TEST_F(PluginMysql, ACancelledQueryOfATransactionUndoesIt) {
  cells("CREATE TABLE t (a INT) ENGINE=InnoDB");
  ssxrver_transaction* const change = begin();
  cells({.sql = "INSERT INTO t VALUES (1)", .transaction = change});
  Asked slow;
  ASSERT_EQ(start(slow, {.sql = "SELECT SLEEP(60)", .transaction = change}), SSXRVER_PENDING);
  ASSERT_TRUE(has_running(1));
  cancel(slow);
  EXPECT_TRUE(has_running(0));
  EXPECT_THAT(cells("SELECT COUNT(*) FROM t"), ElementsAre("0"));
  free(change);
}

}  // namespace
}  // namespace ssx::plugins
