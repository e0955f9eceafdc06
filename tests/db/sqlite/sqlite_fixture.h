// A loop on this thread, task threads, and a Database of SQLite.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "ssxrver/db/database.h"
#include "ssxrver/db/sqlite/sqlite_driver.h"
#include "ssxrver/net/awaitables.h"
#include "ssxrver/net/spawn.h"
#include "ssxrver/net/task_pool.h"
#include "tests/support/temp_dir.h"

namespace ssx::db {

using namespace std::chrono_literals;  // NOLINT(google-build-using-namespace): literals only

inline std::unique_ptr<net::TaskPool> pool_of(net::TaskOptions options) {
  auto pool = net::TaskPool::start(options);
  SSX_ASSERT(pool.has_value());
  return *std::move(pool);
}

/// Counts to ten thousand millions, which nobody waits for.
inline constexpr auto kEndless =
    "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n WHERE x < 10000000000) "
    "SELECT count(*) FROM n";

class SqliteTest : public testing::Test {
 protected:
  void make(const SqliteOptions& options, PoolOptions pool = {}) {
    auto driver = SqliteDriver::create(*tasks, options, pool);
    ASSERT_TRUE(driver) << driver.error().message();
    db = std::make_unique<Database>(*std::move(driver), pool);
  }
  void make_in_memory(PoolOptions pool = {}) { make({}, pool); }
  [[nodiscard]] std::string path(const std::string& name) const { return dir.file(name); }

  /// Runs a Task to its end on this thread's loop.
  void run(Task<> task) {
    bool done = false;
    const auto body = [](Task<> inner, bool& flag) -> Task<> {
      co_await std::move(inner);
      flag = true;
    };
    net::spawn(*loop, body(std::move(task), done), [&done](const std::exception_ptr& thrown) {
      done = true;
      std::rethrow_exception(thrown);
    });
    loop->run_until([&done] { return done; });
  }
  /// One statement; the failure has its message noted in the result.
  Result<Rows> query(Statement statement) {
    std::optional<Result<Rows>> got;
    const auto body = [](Database& base, Statement asked,
                         std::optional<Result<Rows>>& to) -> Task<> {
      to = co_await base.query(std::move(asked));
    };
    run(body(*db, std::move(statement), got));
    return *std::move(got);
  }
  template <class... Ts>
  Result<Rows> query(std::string_view sql, Ts&&... values) {
    return query(Statement(sql, std::forward<Ts>(values)...));
  }
  Errc error_of(const Result<Rows>& result) {
    return result ? Errc::kOk : static_cast<Errc>(result.error().error().code().value());
  }

  void TearDown() override {
    loop->stop();
    loop->run();
    db.reset();
    tasks->stop(net::TaskPool::Pending::kRun);
  }

  test::TempDir dir;
  std::unique_ptr<net::TaskPool> tasks = pool_of({.threads = 4});
  std::unique_ptr<net::EventLoop> loop = *net::EventLoop::create();
  std::unique_ptr<Database> db;
};

}  // namespace ssx::db
