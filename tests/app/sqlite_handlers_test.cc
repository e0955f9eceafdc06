// Handlers that await a file's database: what becomes of the query when nobody waits for it any
// more. One task thread and one connection: who comes next is served only once both are free.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <optional>
#include <string>
#include <thread>

#include "ssxrver/db/database.h"
#include "ssxrver/db/sqlite/sqlite_driver.h"
#include "tests/app/app_fixture.h"

namespace ssx {
namespace {

using namespace std::chrono_literals;
using test::RawClient;

/// Takes longer than any test.
constexpr const char* kEndless =
    "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n WHERE x < 10000000000) "
    "SELECT 'old ' || count(*) FROM n";

class SqliteHandlers : public test::AppTest {
 protected:
  void SetUp() override {
    app->options().tasks.threads = 1;
    app->on_start([this]() -> Task<StartupResult<void>> {
      const db::PoolOptions pool{.pool_max = 1, .acquire_timeout = 20s};
      auto driver = db::SqliteDriver::create(app->tasks(), {}, pool);
      if (!driver) co_return fail_start(ExitCode::kUnavailable, driver.error().message());
      database_.emplace(*std::move(driver), pool);
      const auto made = co_await database_->query("CREATE TABLE t (a INTEGER)");
      if (!made) co_return fail_start(ExitCode::kUnavailable, made.error().message());
      co_return StartupResult<void>();
    });
    add_routes();
    port_ = start();
  }
  void TearDown() override {
    end();
    database_.reset();
  }

  void add_routes() {
    app->get("/slow", [this](const http::Request&) { return first_cell(kEndless); },
             {.handler_timeout = 200ms});
    app->get("/patient", [this](const http::Request&) { return first_cell(kEndless); });
    app->get("/change", [this](const http::Request&) { return change_and_wait(); },
             {.handler_timeout = 1s});
    app->get("/new", [this](const http::Request&) { return first_cell("SELECT 'new'"); });
    app->get("/count",
             [this](const http::Request&) { return first_cell("SELECT count(*) || '' FROM t"); });
    app->get("/many", [this](const http::Request&) {
      return http::Response::stream([this](http::BodyWriter& body) { return send_rows(body); });
    });
    app->listen(0);
  }
  Task<http::Response> first_cell(std::string sql) {
    const auto rows = co_await database_->query(sql);
    if (!rows) co_return http::Status::kInternalServerError;
    const std::string text((*rows)[0][0].text());
    co_return http::Response(text);
  }
  Task<http::Response> change_and_wait() {
    auto change = co_await database_->begin();
    if (!change) co_return http::Status::kInternalServerError;
    const auto added = co_await change->query("INSERT INTO t VALUES (1)");
    if (!added) co_return http::Status::kInternalServerError;
    has_changed_ = true;
    const auto waited = co_await change->query(kEndless);
    co_return waited ? http::Status::kOk : http::Status::kInternalServerError;
  }
  Task<> send_rows(http::BodyWriter& body) {
    auto rows = co_await database_->stream(
        "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) "
        "SELECT 'old ' || x FROM n");
    while (rows) {
      const auto batch = co_await rows->next();
      if (!batch || batch->empty()) co_return;
      for (const db::Row row : *batch) {
        const auto sent = co_await body.write(std::string(row[0].text()));
        if (!sent) co_return;
      }
    }
  }
  [[nodiscard]] const db::PoolCounters& counters() { return database_->pool().counters(); }

  std::optional<db::Database> database_;
  std::atomic<bool> has_changed_{false};
  std::uint16_t port_ = 0;
};

TEST_F(SqliteHandlers, TheQueryOfAHandlerThatTakesTooLongEndsAndItsConnectionGoes) {
  EXPECT_EQ(ask(port_, "/new").body, "new");
  EXPECT_EQ(counters().connected.value(), 1U);
  EXPECT_EQ(ask(port_, "/slow").status, 503);
  EXPECT_EQ(ask(port_, "/new").body, "new");
  EXPECT_EQ(counters().cancelled.value(), 1U);
  EXPECT_EQ(counters().discarded.value(), 1U);
  EXPECT_EQ(counters().connected.value(), 2U);
}

TEST_F(SqliteHandlers, TheQueryOfAClientThatHasGoneEnds) {
  {
    auto client = RawClient::tcp(port_);
    client.send(get("/patient"));
    while (counters().lent.value() < 2) std::this_thread::yield();  // the first made the table
  }
  EXPECT_EQ(ask(port_, "/new").body, "new");
  EXPECT_EQ(counters().cancelled.value(), 1U);
  EXPECT_EQ(counters().discarded.value(), 1U);
}

TEST_F(SqliteHandlers, TheTransactionOfAHandlerThatTakesTooLongIsUndone) {
  EXPECT_EQ(ask(port_, "/change").status, 503);
  EXPECT_TRUE(has_changed_);
  EXPECT_EQ(ask(port_, "/count").body, "0");
  EXPECT_EQ(counters().cancelled.value(), 1U);
}

TEST_F(SqliteHandlers, RowsThatNobodyTakesReachNobodyElse) {
  {
    auto client = RawClient::tcp(port_);
    client.send(get("/many"));
    EXPECT_THAT(client.read(4096), testing::HasSubstr("old 1"));
  }
  EXPECT_EQ(ask(port_, "/new").body, "new");
}

}  // namespace
}  // namespace ssx
