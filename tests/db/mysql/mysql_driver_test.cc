#include "ssxrver/db/mysql/mysql_driver.h"

#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "ssxrver/base/scope_exit.h"
#include "ssxrver/coro/when_any.h"
#include "ssxrver/net/resolver.h"
#include "ssxrver/net/socket_address.h"
#include "ssxrver/net/task_pool.h"
#include "tests/db/mysql/mysql_fixture.h"

namespace ssx::db::mysql {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using State = Connection::State;

/// Takes connections, and says nothing.
class Silence {
 public:
  Silence(const char* ip, std::uint16_t port) : listener_(::socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    EXPECT_EQ(::inet_pton(AF_INET, ip, &address.sin_addr), 1);
    EXPECT_EQ(::bind(listener_, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
    EXPECT_EQ(::listen(listener_, 8), 0);
  }
  ~Silence() { ::close(listener_); }
  Silence(const Silence&) = delete;
  Silence& operator=(const Silence&) = delete;

 private:
  const int listener_;
};

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
  /// Begins a statement that nobody waits for, and gives it up when the server works on `running`.
  void give_up_when(int running) {
    bool is_time = false;
    std::optional<bool> ended;
    auto task = connection_->execute(Statement("SELECT SLEEP(60)"), kAll);
    net::spawn(*loop_, keep_result(until(is_time, std::move(task)), ended), &net::log_failure);
    EXPECT_TRUE(eventually([this, running] { return running_statements() == running; }));
    is_time = true;
    wait_for([&ended] { return ended.has_value(); });
    EXPECT_FALSE(*ended);
  }
  static Task<bool> until(const bool& is_time, Task<Result<Batch>> task) {
    const auto first = co_await when_any(std::move(task), wait_until(is_time));
    co_return first.index() == 0;
  }
  static Task<> wait_until(const bool& is_time) {
    while (!is_time) co_await net::sleep_for(5ms);
  }
  /// Waits for ever, and discards the connection when its loop ends.
  static Task<> discard_at_end(Driver& driver, std::unique_ptr<Connection> connection) {
    const ScopeExit at_end([&] { driver.discard(std::move(connection)); });
    co_await net::sleep_for(1h);
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
  give_up_when(1);
  EXPECT_EQ(connection_->state(), State::kBroken);
  EXPECT_EQ(running_statements(), 1) << "a server does not see that its client has gone";
  end(std::move(connection_));
  EXPECT_TRUE(eventually([this] { return running_statements() == 0; }));
  ASSERT_TRUE(connect());
  EXPECT_THAT(cells("SELECT 'new'"), ElementsAre("new"));
}

TEST_F(MysqlDriverTest, AKillThatNeverBeganDoesNotStandInTheWayOfTheNext) {
  ASSERT_TRUE(start());
  give_up_when(1);
  // Discarded on a loop that ends: nothing can be spawned there any more.
  const auto ending = std::move(*net::EventLoop::create());
  net::spawn(*ending, discard_at_end(*driver_, std::move(connection_)), &net::log_failure);
  ending->run_until_idle();
  ending->stop();
  ending->run();
  EXPECT_EQ(running_statements(), 1);
  ASSERT_TRUE(connect());
  give_up_when(2);
  end(std::move(connection_));
  EXPECT_TRUE(eventually([this] { return running_statements() <= 1; }));
}

TEST_F(MysqlDriverTest, AnAddressThatDoesNotAnswerLeavesTimeForTheNext) {
  ASSERT_TRUE(start());
  const Silence silence("127.0.0.2", server_->port());
  const auto tasks = std::move(*net::TaskPool::start({.threads = 1}));
  const auto raw = [](const char* ip) { return net::SocketAddress::parse(ip, 0)->to_raw(); };
  const net::Resolver resolver(*tasks, [raw](const std::string&) {
    std::vector<sys::RawAddress> both = {raw("127.0.0.2"), raw("127.0.0.1")};
    return ssx::Result<std::vector<sys::RawAddress>>(std::move(both));
  });
  MysqlOptions twice = options();
  twice.unix_socket.clear();
  twice.address = "two.addresses";
  twice.port = server_->port();
  const PoolOptions pool{.connect_timeout = 1s};
  auto made = MysqlDriver::create(twice, pool, &resolver);
  ASSERT_TRUE(made);
  driver_ = *std::move(made);
  EXPECT_TRUE(connect());
  end(std::move(connection_));
  // And three that do not take no longer than one.
  const net::Resolver deaf(*tasks, [raw](const std::string&) {
    std::vector<sys::RawAddress> same(3, raw("127.0.0.2"));
    return ssx::Result<std::vector<sys::RawAddress>>(std::move(same));
  });
  made = MysqlDriver::create(twice, {.connect_timeout = 300ms}, &deaf);
  ASSERT_TRUE(made);
  driver_ = *std::move(made);
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_EQ(errc(run(driver_->connect()).error()), Errc::kConnectTimedOut);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, 600ms);
  tasks->stop(net::TaskPool::Pending::kDrop);
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
