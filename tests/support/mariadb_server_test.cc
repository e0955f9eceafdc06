#include "tests/support/mariadb_server.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "tests/support/peer.h"

namespace ssx::test {
namespace {

TEST(MariadbServer, KeepsItsDataThroughAKill) {
  SSX_NEEDS_PEER(MariadbServer::installed(), "mariadb-server");
  MariadbServer server;
  ASSERT_TRUE(server.start());
  EXPECT_EQ(server.ask("CREATE TABLE t (a INT) ENGINE=Aria; INSERT INTO t VALUES (1), (2)"), "");
  server.ask("FLUSH TABLES");
  const auto port = server.port();
  const auto pid = server.pid();

  server.kill();
  ASSERT_TRUE(server.start());
  EXPECT_EQ(server.ask("SELECT a, 'x' FROM t ORDER BY a"), "1\tx\n2\tx\n");
  EXPECT_EQ(server.port(), port);
  EXPECT_NE(server.pid(), pid);
}

TEST(MariadbServer, TwoStandSideBySideAndLeaveNothing) {
  SSX_NEEDS_PEER(MariadbServer::installed(), "mariadb-server");
  std::string folder;
  {
    MariadbServer one({"--wait-timeout=77"});
    MariadbServer other;
    ASSERT_TRUE(one.start());
    ASSERT_TRUE(other.start());
    EXPECT_NE(one.port(), other.port());
    EXPECT_EQ(one.ask("SELECT @@GLOBAL.wait_timeout"), "77\n");
    EXPECT_NE(other.ask("SELECT @@GLOBAL.wait_timeout"), "77\n");
    folder = std::filesystem::path(one.socket()).parent_path();
  }
  EXPECT_FALSE(std::filesystem::exists(folder));
}

}  // namespace
}  // namespace ssx::test
