// A plugin written straight against the border, and real databases behind it.
//
//   open_sqlite("main");
//   serve();
//   Asked rows;
//   query(rows, "SELECT 1");
//   EXPECT_THAT(rows.cells, ElementsAre("1"));
#pragma once

#include <gmock/gmock.h>

#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ssxrver/db/databases.h"
#include "ssxrver/db/sqlite/sqlite_driver.h"
#include "ssxrver/net/task_pool.h"
#include "ssxrver/plugin/sdk/database.h"
#include "tests/plugin/host/asked.h"
#include "tests/plugin/host/plugin_fixture.h"
#include "tests/support/temp_dir.h"

namespace ssx::plugins::test {

/// What outlives the loops.
struct HasDatabases {
  std::unique_ptr<net::TaskPool> tasks = std::move(*net::TaskPool::start({.threads = 2}));
  ssx::test::TempDir folder;
  db::Databases databases;
};

/// Counts to ten thousand millions, which nobody waits for.
inline constexpr std::string_view kEndless =
    "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n WHERE x < 10000000000) "
    "SELECT count(*) FROM n";

class PluginDatabaseTest : protected HasDatabases, public PluginTest {
 protected:
  using Values = std::vector<ssxrver_value>;

  PluginDatabaseTest() : PluginTest(&databases) {}
  ~PluginDatabaseTest() override {
    end();
    databases.close();
  }

  void open_sqlite(const std::string& name, const db::PoolOptions& pool = {}) {
    auto driver = db::SqliteDriver::create(*tasks, {.file = folder.file(name + ".sqlite")}, pool);
    ASSERT_TRUE(driver) << driver.error().message();
    databases.add(name, *std::move(driver), pool);
  }
  [[nodiscard]] const db::PoolCounters& counters_of(std::string_view name) {
    return databases.find(name)->pool().counters();
  }

  template <class... Ts>
  static Values values(const Ts&... each) {
    return {plugin::internal::to_value(each)...};
  }

  /// Where to ask, and what for.
  struct Question {
    std::string_view sql;
    Values values = {};
    ssxrver_transaction* transaction = nullptr;
    std::string_view database = "main";
    std::uint32_t worker = 0;
  };

  /// On a loop. Returns what the call itself gave.
  std::int32_t start(Asked& asked, const Question& question) {
    std::int32_t status = SSXRVER_OK;
    on_loop([&] { status = start_here(asked, question); }, question.worker);
    return status;
  }
  std::int32_t start_here(Asked& asked, const Question& question) {
    return plugin.db().query(plugin.context(), text(question.database), question.transaction,
                             text(question.sql), question.values.data(), question.values.size(),
                             asked.waiter(), &asked.wait);
  }
  static bool is_told(Asked& asked) {
    return wait_until([&asked] { return asked.told.load(std::memory_order_acquire); });
  }

  /// Asks, and waits until it is told.
  void query(Asked& asked, const Question& question) {
    ASSERT_EQ(start(asked, question), SSXRVER_PENDING);
    ASSERT_TRUE(is_told(asked));
  }
  /// One that goes well; its cells.
  std::vector<std::string> cells(const Question& question) {
    Asked asked;
    query(asked, question);
    EXPECT_EQ(asked.status, SSXRVER_OK) << asked.why;
    return asked.cells;
  }
  std::vector<std::string> cells(std::string_view sql, Values given = {}) {
    return cells(Question{.sql = sql, .values = std::move(given)});
  }

  ssxrver_transaction* begin(std::uint32_t worker = 0) {
    Asked asked(Asked::For::kTransaction);
    const auto ask = [&] {
      EXPECT_EQ(plugin.db().begin(plugin.context(), text("main"), asked.waiter(), &asked.wait),
                SSXRVER_PENDING);
    };
    on_loop(ask, worker);
    EXPECT_TRUE(is_told(asked));
    EXPECT_EQ(asked.status, SSXRVER_OK) << asked.why;
    return asked.transaction;
  }
  std::int32_t start_commit(Asked& asked, ssxrver_transaction* transaction) {
    std::int32_t status = SSXRVER_OK;
    on_loop([&] { status = plugin.db().commit(transaction, asked.waiter(), &asked.wait); });
    return status;
  }
  void free(ssxrver_transaction* transaction) {
    on_loop([&] { plugin.db().free_transaction(transaction); });
  }
  void cancel(Asked& asked) {
    on_loop([&] { plugin.loops().cancel(asked.wait); });
  }
  /// Who was told may be a moment ahead of what told him.
  bool is_held_by(std::string_view leases) {
    return wait_until([&] { return instance->leases().to_string() == leases; });
  }
  /// Nothing of the plugin's is under way at a database any more.
  bool is_quiet() {
    return wait_until([this] { return held() == 0; });
  }
};

}  // namespace ssx::plugins::test
