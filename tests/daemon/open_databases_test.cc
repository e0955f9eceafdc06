// Databases of a configuration on a loop of this thread. What needs a server is in
// tests/integration/database_test.cc.
#include "ssxrver/daemon/open_databases.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <string>

#include "ssxrver/net/spawn.h"
#include "tests/support/temp_dir.h"

namespace ssx {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using Options = config::DatabaseOptions;

class OpenDatabasesTest : public testing::Test {
 protected:
  static Options sqlite(std::string file) {
    Options options;
    options.sqlite.file = std::move(file);
    return options;
  }
  /// Nobody listens there.
  static Options dead_server(db::OnUnavailable on_unavailable) {
    Options options;
    options.driver = Options::Driver::kMysql;
    options.server.unix_socket = "/nonexistent/mysqld.sock";
    options.pool.on_unavailable = on_unavailable;
    return options;
  }
  static Task<> ask(db::Database& database, std::optional<db::Result<db::Rows>>& into) {
    into.emplace(co_await database.query("SELECT 6 * 7"));
  }

  const test::TempDir folder_;
  std::unique_ptr<net::EventLoop> loop_ = std::move(*net::EventLoop::create());
  std::unique_ptr<net::TaskPool> tasks_ = std::move(*net::TaskPool::start({.threads = 1}));
};

TEST_F(OpenDatabasesTest, OpensFilesByTheirNames) {
  OpenDatabases opened;
  EXPECT_TRUE(opened.all().empty());
  ASSERT_TRUE(opened.open({{"a", sqlite(folder_.file("a.db"))}, {"b", sqlite("")}}, *tasks_));
  ASSERT_EQ(opened.all().size(), 2U);
  std::optional<db::Result<db::Rows>> answer;
  opened.watch(*loop_);
  net::spawn(*loop_, ask(*opened.all().find("a"), answer), &net::log_failure);
  loop_->run_until([&answer] { return answer.has_value(); });
  ASSERT_TRUE(*answer) << answer->error().message();
  EXPECT_EQ((**answer)[0][0].int64(), 42);
  loop_->stop();
  loop_->run();
  tasks_->stop(net::TaskPool::Pending::kRun);
}

TEST_F(OpenDatabasesTest, TellsWhichFileCannotBe) {
  OpenDatabases opened;
  const auto done = opened.open({{"notes", sqlite(folder_.path())}}, *tasks_);
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().code(), ExitCode::kUnavailable);
  EXPECT_THAT(done.error().sentences(),
              ElementsAre(HasSubstr("database \"notes\" at " + folder_.path() + ": ")));
}

TEST_F(OpenDatabasesTest, AServerThatNeedNotBeIsNotReached) {
  EXPECT_TRUE(reach_databases({}));
  EXPECT_TRUE(reach_databases(
      {{"a", sqlite(folder_.path())}, {"b", dead_server(db::OnUnavailable::kRetry)}}));
}

#ifdef SSX_HAVE_MYSQL
TEST_F(OpenDatabasesTest, EachServerThatMustBeHasItsSentence) {
  const auto reached = reach_databases({{"a", dead_server(db::OnUnavailable::kFail)},
                                        {"b", dead_server(db::OnUnavailable::kFail)},
                                        {"c", dead_server(db::OnUnavailable::kRetry)}});
  ASSERT_FALSE(reached);
  EXPECT_EQ(reached.error().code(), ExitCode::kUnavailable);
  EXPECT_THAT(reached.error().sentences(),
              testing::UnorderedElementsAre(
                  HasSubstr("database \"a\" at /nonexistent/mysqld.sock: connect: "),
                  HasSubstr("database \"b\" at /nonexistent/mysqld.sock: connect: ")));
}

TEST_F(OpenDatabasesTest, ANameIsLookedUp) {
  Options options = dead_server(db::OnUnavailable::kFail);
  options.server.unix_socket.clear();
  options.server.address = "localhost";
  options.server.port = 1;  // where nobody listens
  const auto reached = reach_databases({{"a", options}});
  ASSERT_FALSE(reached);
  EXPECT_THAT(reached.error().text(), HasSubstr("database \"a\" at localhost:1: connect: "));
  EXPECT_THAT(reached.error().text(), testing::Not(HasSubstr("looks names up")));
}
#endif

}  // namespace
}  // namespace ssx
