// Handlers that await a database: what becomes of the query when nobody waits for it any more.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <thread>

#include "ssxrver/db/database.h"
#include "ssxrver/db/mysql/mysql_driver.h"
#include "tests/app/app_fixture.h"
#include "tests/support/mariadb_server.h"
#include "tests/support/peer.h"

namespace ssx {
namespace {

using namespace std::chrono_literals;
using test::MariadbServer;
using test::RawClient;

class MysqlHandlers : public test::AppTest {
 protected:
  static constexpr auto kPatience = 20s;  // less than what the queries would take

  void SetUp() override {
    SSX_NEEDS_PEER(MariadbServer::installed(), "mariadb-server");
    ASSERT_TRUE(server_.start());
    db::PoolOptions pool;
    pool.pool_max = 1;  // who comes next would get the same connection
    pool.acquire_timeout = acquire_timeout_;
    db::MysqlOptions login;
    login.unix_socket = server_.socket();
    login.user = MariadbServer::user();
    login.password = server_.password();
    login.database = MariadbServer::database();
    for (auto* database : {&database_, &watcher_}) {
      auto driver = db::mysql::MysqlDriver::create(login, pool, nullptr);
      ASSERT_TRUE(driver) << driver.error().message();
      database->emplace(*std::move(driver), pool);
    }
    add_routes();
    port_ = start();
  }
  void TearDown() override { app.reset(); }

  /// "/slow" and "/patient" wait for the database, "/many" sends more rows than any client takes,
  /// "/new" asks.
  void add_routes() {
    app->get("/slow",
             [this](const http::Request&) {
               return first_cell(*database_, "SELECT CONCAT('old', SLEEP(30))");
             },
             {.handler_timeout = 1s});
    // Its first rows are at the client when its time is over.
    app->get("/half",
             [this](const http::Request&) {
               return first_cell(*database_,
                                 "SELECT CONCAT('old', REPEAT('x', 50000), SLEEP(IF(seq < 5, 0, "
                                 "30))) FROM seq_1_to_9");
             },
             {.handler_timeout = 1s});
    app->get("/patient", [this](const http::Request&) {
      return first_cell(*database_, "SELECT CONCAT('old', SLEEP(30))");
    });
    app->get("/new",
             [this](const http::Request&) { return first_cell(*database_, "SELECT 'new'"); });
    app->get("/running", [this](const http::Request&) {
      return first_cell(
          *watcher_,
          "SELECT CAST(COUNT(*) AS CHAR) FROM information_schema.processlist WHERE command IN "
          "('Query', 'Execute') AND id <> CONNECTION_ID() AND user = 'tester'");
    });
    app->get("/many", [this](const http::Request&) {
      return http::Response::stream([this](http::BodyWriter& body) { return send_rows(body); });
    });
    app->listen(0);
  }
  static Task<http::Response> first_cell(db::Database& database, std::string sql) {
    const auto rows = co_await database.query(sql);
    if (!rows) {
      co_return rows.error().is_unavailable() ? http::Status::kServiceUnavailable
                                              : http::Status::kInternalServerError;
    }
    const std::string text((*rows)[0][0].text());
    co_return http::Response(text);
  }
  Task<> send_rows(http::BodyWriter& body) {
    auto rows = co_await database_->stream("SELECT CONCAT('old ', seq) FROM seq_1_to_100000000");
    while (rows) {
      const auto batch = co_await rows->next();
      if (!batch || batch->empty()) co_return;
      for (const db::Row row : *batch) {
        const std::string text(row[0].text());
        const auto sent = co_await body.write(text);
        if (!sent) co_return;
      }
    }
  }

  /// How many statements the server is working on for us. Asked over HTTP: a child process would
  /// have copies of all descriptors for a moment.
  [[nodiscard]] std::string running() const { return ask(port_, "/running").body; }
  template <class Condition>
  static bool eventually(Condition condition) {
    const auto deadline = std::chrono::steady_clock::now() + kPatience;
    while (!condition()) {
      if (std::chrono::steady_clock::now() > deadline) return false;
      std::this_thread::yield();
    }
    return true;
  }

  std::chrono::milliseconds acquire_timeout_ = 5s;
  MariadbServer server_;
  std::optional<db::Database> database_;
  std::optional<db::Database> watcher_;
  std::uint16_t port_ = 0;
};

TEST_F(MysqlHandlers, TheQueryOfAClientThatHasGoneEndsAtTheServer) {
  {
    auto client = RawClient::tcp(port_);
    client.send(get("/patient"));
    ASSERT_TRUE(eventually([this] { return running() == "1"; }));
  }
  EXPECT_TRUE(eventually([this] { return running() == "0"; }));
  EXPECT_EQ(ask(port_, "/new").body, "new");
  EXPECT_EQ(database_->pool().counters().cancelled.value(), 1U);
}

TEST_F(MysqlHandlers, TheQueryOfAHandlerThatTakesTooLongEndsAtTheServer) {
  EXPECT_EQ(ask(port_, "/slow").status, 503);
  EXPECT_TRUE(eventually([this] { return running() == "0"; }));
  EXPECT_EQ(ask(port_, "/new").body, "new");
  EXPECT_EQ(database_->pool().counters().cancelled.value(), 1U);
}

TEST_F(MysqlHandlers, AResultThatHasHalfComeReachesNobodyElse) {
  EXPECT_EQ(ask(port_, "/half").status, 503);
  EXPECT_EQ(ask(port_, "/new").body, "new");
  EXPECT_TRUE(eventually([this] { return running() == "0"; }));
  EXPECT_EQ(database_->pool().counters().cancelled.value(), 1U);
  EXPECT_EQ(database_->pool().counters().discarded.value(), 1U);
  EXPECT_EQ(database_->pool().counters().connected.value(), 2U);
}

TEST_F(MysqlHandlers, RowsThatNobodyTakesReachNobodyElse) {
  {
    auto client = RawClient::tcp(port_);
    client.send(get("/many"));
    EXPECT_THAT(client.read(4096), testing::HasSubstr("old 1"));
  }
  // The only connection comes back when the handler has noticed.
  EXPECT_TRUE(eventually([this] { return ask(port_, "/new").body == "new"; }));
  EXPECT_TRUE(eventually([this] { return running() == "0"; }));
}

/// They soon say that there is no connection.
class ImpatientMysqlHandlers : public MysqlHandlers {
 protected:
  ImpatientMysqlHandlers() { acquire_timeout_ = 500ms; }
};

TEST_F(ImpatientMysqlHandlers, AServerThatIsAwayIs503UntilItIsBack) {
  auto client = RawClient::tcp(port_);  // one for all: nothing closes while a process is started
  const auto answer = [&client] {
    client.send(get("/new"));
    return client.read_response();
  };
  EXPECT_TRUE(eventually([&answer] { return answer().body == "new"; }));
  server_.kill();
  EXPECT_TRUE(eventually([&answer] { return answer().status == 503; }));
  ASSERT_TRUE(server_.start());
  EXPECT_TRUE(eventually([&answer] { return answer().body == "new"; }));
}

}  // namespace
}  // namespace ssx
