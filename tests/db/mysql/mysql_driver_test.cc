#include "ssxrver/db/mysql/mysql_driver.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/db/mysql/mysql_fixture.h"

namespace ssx::db::mysql {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using State = Connection::State;

class MysqlDriverTest : public MysqlTest {
 protected:
  void SetUp() override { SSX_NEEDS_PEER(MariadbServer::installed(), "mariadb-server"); }
  Failure refused(const MysqlOptions& options) {
    make_driver(options);
    const auto made = run(driver_->connect());
    EXPECT_FALSE(made);
    return made ? Failure(Error({}, "")) : made.error();
  }
  /// False: it was given up.
  template <class T>
  static Task<bool> timed(milliseconds time, Task<T> task) {
    const auto in_time = co_await net::with_timeout(time, std::move(task));
    co_return in_time.has_value();
  }
  bool try_connect() {
    auto made = run(driver_->connect());
    if (made) end(*std::move(made));
    return made.has_value();
  }
};

TEST_F(MysqlDriverTest, ConnectsByTcpAndByUnixSocket) {
  ASSERT_TRUE(start());
  EXPECT_THAT(cells("SELECT USER() LIKE '%@localhost'"), ElementsAre("1"));
  MysqlOptions tcp = options();
  tcp.unix_socket.clear();
  tcp.address = "127.0.0.1";
  tcp.port = server_->port();
  make_driver(tcp);
  ASSERT_TRUE(connect());
  EXPECT_THAT(cells("SELECT USER() LIKE '%@127.0.0.1'"), ElementsAre("1"));
}

TEST_F(MysqlDriverTest, SaysWhyItIsNotLetIn) {
  ASSERT_TRUE(start());
  MysqlOptions wrong = options();
  wrong.password = "wrong";
  const Failure password = refused(wrong);
  EXPECT_EQ(errc(password), Errc::kAccessDenied);
  EXPECT_EQ(password.vendor_code(), 1045);
  EXPECT_THAT(password.text(), Not(HasSubstr("wrong")));
  wrong = options();
  wrong.database = "nowhere";
  EXPECT_EQ(errc(refused(wrong)), Errc::kAccessDenied);
  wrong = options();
  wrong.unix_socket += ".not";
  EXPECT_EQ(errc(refused(wrong)), Errc::kUnavailable);
  wrong = options();
  wrong.unix_socket.clear();
  wrong.address = "no.such.host";
  EXPECT_THAT(refused(wrong).text(), HasSubstr("no.such.host"));
}

TEST_F(MysqlDriverTest, AnUnknownCharsetIsAnErrorAtOnce) {
  MysqlOptions options;
  options.charset = "klingon";
  const auto made = MysqlDriver::create(options, PoolOptions(), nullptr);
  ASSERT_FALSE(made);
  EXPECT_EQ(errc(made.error()), Errc::kUnsupported);
  EXPECT_THAT(made.error().message(), HasSubstr("\"klingon\""));
}

TEST_F(MysqlDriverTest, AnotherCharsetIsThatOfTheTexts) {
  ASSERT_TRUE(start());
  MysqlOptions latin = options();
  latin.charset = "latin1";
  make_driver(latin);
  ASSERT_TRUE(connect());
  EXPECT_THAT(cells("SELECT HEX(CONVERT(? USING utf8mb4))", "\xfc"), ElementsAre("C3BC"));
  ASSERT_TRUE(run(connection_->reset()));
  EXPECT_THAT(cells("SELECT HEX(CONVERT(? USING utf8mb4))", "\xfc"), ElementsAre("C3BC"));
}

TEST_F(MysqlDriverTest, ClientFlagsCannotTurnOnWhatIsOff) {
  ASSERT_TRUE(start());
  MysqlOptions all = options();
  all.client_flag = 0xffffffff & ~(1U << 4U) & ~(1U << 10U);
  make_driver(all);
  ASSERT_TRUE(connect());
  ASSERT_TRUE(execute("CREATE TABLE f (a INT)"));
  const auto several = execute("SELECT 1; DROP TABLE f");
  ASSERT_FALSE(several);
  EXPECT_EQ(errc(several.error()), Errc::kUnsupported);
  const auto infile = execute("LOAD DATA LOCAL INFILE '/etc/passwd' INTO TABLE f");
  ASSERT_FALSE(infile) << infile->rows.affected();
  EXPECT_THAT(server_->ask("SELECT COUNT(*) FROM f"), "0\n");
}

TEST_F(MysqlDriverTest, TooManyConnectionsAreUnavailable) {
  ASSERT_TRUE(start({"--max-connections=10"}));
  std::vector<std::unique_ptr<Connection>> held;
  for (int i = 0; i < 20; ++i) {
    auto made = run(driver_->connect());
    if (!made) {
      EXPECT_EQ(errc(made.error()), Errc::kUnavailable);
      EXPECT_EQ(made.error().vendor_code(), 1040);
      break;
    }
    held.push_back(*std::move(made));
  }
  ASSERT_GE(held.size(), 8U);
  ASSERT_LT(held.size(), 20U);
  end(std::move(held.back()));
  held.pop_back();
  EXPECT_TRUE(eventually([this] { return try_connect(); }));
  for (auto& connection : held) end(std::move(connection));
}

TEST_F(MysqlDriverTest, AServerThatIsKilledMidQueryIsAConnectionLost) {
  ASSERT_TRUE(start());
  std::optional<Result<Batch>> result;
  net::spawn(*loop_, keep_result(connection_->execute(Statement("SELECT SLEEP(60)"), kAll), result),
             &net::log_failure);
  EXPECT_TRUE(eventually([this] { return running_statements() == 1; }));
  server_->kill();
  wait_for([&result] { return result.has_value(); });
  ASSERT_FALSE(*result);
  EXPECT_EQ(errc(result->error()), Errc::kConnectionLost);
  EXPECT_EQ(connection_->state(), State::kBroken);
  EXPECT_EQ(errc(execute("SELECT 1").error()), Errc::kConnectionLost);
  EXPECT_EQ(errc(run(driver_->connect()).error()), Errc::kUnavailable);
  ASSERT_TRUE(server_->start());
  ASSERT_TRUE(connect());
  EXPECT_THAT(cells("SELECT 1"), ElementsAre("1"));
}

TEST_F(MysqlDriverTest, SeesThatTheServerHasClosedBeforeAnythingIsSent) {
  ASSERT_TRUE(start());
  ASSERT_TRUE(execute("CREATE TABLE g (a INT)"));
  EXPECT_FALSE(connection_->has_gone());
  server_->ask("KILL " + cells("SELECT CONNECTION_ID()").at(0));
  EXPECT_TRUE(eventually([this] {
    return server_->ask(
               "SELECT COUNT(*) FROM information_schema.processlist "
               "WHERE user = 'tester'") == "1\n";
  }));
  EXPECT_TRUE(connection_->has_gone());
  EXPECT_EQ(connection_->state(), State::kBroken);
  EXPECT_FALSE(execute("INSERT INTO g VALUES (1)"));
  EXPECT_EQ(server_->ask("SELECT COUNT(*) FROM g"), "0\n");
}

TEST_F(MysqlDriverTest, IdleForTooLongIsGoneAway) {
  ASSERT_TRUE(start({"--wait-timeout=1"}));
  EXPECT_TRUE(eventually([this] {
    return server_->ask(
               "SELECT COUNT(*) FROM information_schema.processlist "
               "WHERE user = 'tester'") == "1\n";
  }));
  EXPECT_FALSE(run(connection_->ping()));
  EXPECT_EQ(connection_->state(), State::kBroken);
}

TEST_F(MysqlDriverTest, AQueryThatIsGivenUpIsKilledAtTheServer) {
  ASSERT_TRUE(start());
  const auto result = run(timed(300ms, connection_->execute(Statement("SELECT SLEEP(60)"), kAll)));
  EXPECT_FALSE(result);
  EXPECT_EQ(connection_->state(), State::kBroken);
  EXPECT_EQ(running_statements(), 1) << "a server does not see that its client has gone";
  end(std::move(connection_));
  EXPECT_TRUE(eventually([this] { return running_statements() == 0; }));
  ASSERT_TRUE(connect());
  EXPECT_THAT(cells("SELECT 'new'"), ElementsAre("new"));
}

TEST_F(MysqlDriverTest, AServerThatSaysNothingCanBeGivenUpAtEachStage) {
  ASSERT_TRUE(start());
  // While it connects: the kernel takes the connection, and nobody greets.
  server_->freeze();
  EXPECT_FALSE(run(timed(50ms, driver_->connect())));
  EXPECT_FALSE(run(timed(50ms, connection_->execute(Statement("SELECT 1"), kAll))));
  EXPECT_EQ(connection_->state(), State::kBroken);
  server_->thaw();
  ASSERT_TRUE(connect());
  EXPECT_THAT(cells("SELECT 2"), ElementsAre("2"));
  server_->freeze();  // prepared already: it is executed that waits
  EXPECT_FALSE(run(timed(50ms, connection_->execute(Statement("SELECT 2"), kAll))));
  server_->thaw();
  ASSERT_TRUE(connect());
  // Rows are on their way.
  const BatchLimits one{.rows_max = 1, .bytes_max = 4096};
  const auto first = run(
      connection_->execute(Statement("SELECT seq, REPEAT('x', 1000) FROM seq_1_to_100000"), one));
  ASSERT_TRUE(first);
  server_->freeze();
  EXPECT_FALSE(run(timed(50ms, connection_->fetch(kAll))));
  server_->thaw();
  ASSERT_TRUE(connect());
  server_->freeze();
  EXPECT_FALSE(run(timed(50ms, connection_->reset())));
  EXPECT_EQ(connection_->state(), State::kBroken);
  server_->thaw();
  ASSERT_TRUE(connect());
  server_->freeze();
  EXPECT_FALSE(run(timed(50ms, connection_->ping())));
  EXPECT_EQ(connection_->state(), State::kBroken);
  server_->thaw();
  ASSERT_TRUE(connect());
  EXPECT_THAT(cells("SELECT 'new'"), ElementsAre("new"));
  EXPECT_TRUE(eventually([this] { return running_statements() == 0; }));
}

}  // namespace
}  // namespace ssx::db::mysql
