// The interface "ssxrver.db", over a real SQLite: what comes back, and what is refused.
#include <cstdint>
#include <limits>
#include <span>
#include <string>

#include "tests/plugin/host/database_fixture.h"
#include "tests/support/captured_log.h"

namespace ssx::plugins {
namespace {

using test::Asked;
using test::text;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class PluginDb : public test::PluginDatabaseTest {
 protected:
  void serve_main(const db::PoolOptions& pool = {}) {
    open_sqlite("main", pool);
    serve();
  }
};

TEST_F(PluginDb, ValuesOfEveryKindGoThereAndBack) {
  serve_main();
  cells("CREATE TABLE t (a, b, c, d, e, f)");
  const std::string letters("a\0'\xc3\xa9\"", 6);
  const std::span<const std::byte> bytes = std::as_bytes(std::span(letters));
  Asked inserted;
  query(inserted, {.sql = "INSERT INTO t VALUES (?, ?, ?, ?, ?, ?)",
                   .values = values(nullptr, std::numeric_limits<std::int64_t>::min(), 7U, 2.5,
                                    std::string_view(letters), bytes)});
  EXPECT_EQ(inserted.affected, 1U);
  EXPECT_EQ(inserted.last_insert_id, 1U);
  EXPECT_THAT(inserted.cells, IsEmpty());
  Asked found;
  query(found, {.sql = "SELECT a, b, c, d, e, f AS last FROM t"});
  EXPECT_THAT(found.columns, ElementsAre("a", "b", "c", "d", "e", "last"));
  EXPECT_THAT(found.cells, ElementsAre("null", "-9223372036854775808", "7", "2.500000",
                                       "'" + letters + "'", "bytes '" + letters + "'"));
  EXPECT_THAT(cells("SELECT ?, ?", values(std::string_view(), std::span<const std::byte>())),
              ElementsAre("''", "bytes ''"));
}

TEST_F(PluginDb, AValueNeverBecomesAPartOfTheStatement) {
  serve_main();
  cells("CREATE TABLE t (name TEXT)");
  constexpr std::string_view kAttack = "x'); DROP TABLE t; --";
  cells("INSERT INTO t VALUES (?)", values(kAttack));
  EXPECT_THAT(cells("SELECT name FROM t WHERE name = ?", values(kAttack)),
              ElementsAre("'x'); DROP TABLE t; --'"));
}

TEST_F(PluginDb, WhatTheDatabaseRefusesHasACodeAndASentence) {
  serve_main();
  cells("CREATE TABLE t (name TEXT UNIQUE)");
  cells("INSERT INTO t VALUES ('a')");
  Asked twice;
  query(twice, {.sql = "INSERT INTO t VALUES ('a')"});
  EXPECT_EQ(twice.status, SSXRVER_ERROR);
  EXPECT_EQ(twice.code, SSXRVER_DB_CONSTRAINT);
  EXPECT_THAT(twice.why, HasSubstr("UNIQUE constraint failed: t.name"));
  Asked nonsense;
  query(nonsense, {.sql = "SELEKT"});
  EXPECT_EQ(nonsense.code, SSXRVER_DB_SYNTAX);
  Asked fewer;
  query(fewer, {.sql = "SELECT ?, ?", .values = values(1)});
  EXPECT_EQ(fewer.code, SSXRVER_DB_SYNTAX);
  EXPECT_EQ(count(&Counters::queries), 5U);
  EXPECT_EQ(count(&Counters::query_failures), 3U);
}

TEST_F(PluginDb, AnUnknownDatabaseIsNamedWithThoseThatThereAre) {
  open_sqlite("main");
  open_sqlite("log");
  serve();
  Asked asked;
  query(asked, {.sql = "SELECT 1", .database = "mian"});
  EXPECT_EQ(asked.status, SSXRVER_NOT_FOUND);
  EXPECT_EQ(asked.why, "no database \"mian\": configured: \"log\", \"main\"");
  EXPECT_THAT(cells(Question{.sql = "SELECT 2", .database = "log"}), ElementsAre("2"));
}

TEST_F(PluginDb, WithoutDatabasesItSaysSo) {
  serve();
  Asked asked;
  query(asked, {.sql = "SELECT 1"});
  EXPECT_EQ(asked.status, SSXRVER_NOT_FOUND);
  EXPECT_EQ(asked.why, "no database \"main\": none is configured");
}

TEST_F(PluginDb, WhatCannotBeIsRefusedAtOnce) {
  serve_main();
  const ssxrver_db& db = plugin.db();
  const auto give = [&](ssxrver_context* context, ssxrver_text sql, const ssxrver_value* values,
                        std::size_t count) {
    std::int32_t status = SSXRVER_OK;
    on_loop([&] {
      status = db.query(context, text("main"), nullptr, sql, values, count, {}, nullptr);
    });
    return status;
  };
  ssxrver_value value{};
  EXPECT_EQ(give(nullptr, text("SELECT 1"), nullptr, 0), SSXRVER_INVALID);
  EXPECT_EQ(give(plugin.context(), {nullptr, 3}, nullptr, 0), SSXRVER_INVALID);
  EXPECT_EQ(give(plugin.context(), text("SELECT ?"), nullptr, 1), SSXRVER_INVALID);
  value.kind = SSXRVER_BYTES + 1;
  EXPECT_EQ(give(plugin.context(), text("SELECT ?"), &value, 1), SSXRVER_INVALID);
  for (const std::uint32_t kind : {SSXRVER_TEXT, SSXRVER_BYTES}) {
    value.kind = kind;
    value.text = {nullptr, 1};
    EXPECT_EQ(give(plugin.context(), text("SELECT ?"), &value, 1), SSXRVER_INVALID);
  }
  on_loop([&] {
    EXPECT_EQ(db.begin(nullptr, text("main"), {}, nullptr), SSXRVER_INVALID);
    EXPECT_EQ(db.commit(nullptr, {}, nullptr), SSXRVER_INVALID);
    EXPECT_EQ(db.next(nullptr, {}, nullptr), SSXRVER_INVALID);
    EXPECT_EQ(db.stream(plugin.context(), text("main"), text(""), nullptr, 0, nullptr),
              SSXRVER_INVALID);
  });
  EXPECT_EQ(count(&Counters::queries), 0U);
  EXPECT_EQ(held(), 0U);
}

TEST_F(PluginDb, NobodysRowsAreEmpty) {
  serve_main();
  const ssxrver_db& db = plugin.db();
  EXPECT_EQ(db.row_count(nullptr), 0U);
  EXPECT_EQ(db.column_count(nullptr), 0U);
  EXPECT_EQ(db.column_name(nullptr, 0).size, 0U);
  EXPECT_EQ(db.affected(nullptr), 0U);
  EXPECT_EQ(db.last_insert_id(nullptr), 0U);
  ssxrver_value value{.kind = SSXRVER_INT, .reserved = 0, .number = {.integer = 1}, .text = {}};
  db.value(nullptr, 0, 0, &value);
  EXPECT_EQ(value.kind, std::uint32_t{SSXRVER_NULL});
  db.free_rows(nullptr);
  db.free_transaction(nullptr);
  db.free_stream(nullptr);
}

TEST_F(PluginDb, ACellThatThereIsNotIsNull) {
  serve_main();
  struct Look {
    const ssxrver_db& db;
    ssxrver_wait* wait = nullptr;
    std::atomic<bool> done = false;
  } look{plugin.db()};
  const auto read = [](void* context, std::int32_t) {
    auto& mine = *static_cast<Look*>(context);
    ssxrver_rows* const rows = mine.db.rows(mine.wait, nullptr);
    ssxrver_value value{};
    for (const auto& [row, column] : {std::pair(0, 1), std::pair(1, 0)}) {
      value.kind = SSXRVER_INT;
      mine.db.value(rows, static_cast<std::size_t>(row), static_cast<std::size_t>(column), &value);
      EXPECT_EQ(value.kind, std::uint32_t{SSXRVER_NULL});
    }
    EXPECT_EQ(mine.db.column_name(rows, 1).size, 0U);
    EXPECT_EQ(mine.db.rows(mine.wait, nullptr), nullptr) << "they are taken";
    EXPECT_EQ(mine.db.transaction(mine.wait, nullptr), nullptr) << "it brought none";
    mine.db.free_rows(rows);
    mine.done = true;
  };
  on_loop([&] {
    EXPECT_EQ(plugin.db().query(plugin.context(), text("main"), nullptr, text("SELECT 7"), nullptr,
                                0, {read, &look}, &look.wait),
              SSXRVER_PENDING);
    EXPECT_EQ(plugin.db().rows(look.wait, nullptr), nullptr) << "it has not been told";
  });
  EXPECT_TRUE(wait_until([&look] { return look.done.load(); }));
}

TEST_F(PluginDb, IsForLoopsAlone) {
  serve_main();
  Asked asked;
  EXPECT_EQ(start_here(asked, {.sql = "SELECT 1"}), SSXRVER_WRONG_THREAD);
  EXPECT_EQ(plugin.db().begin(plugin.context(), text("main"), asked.waiter(), &asked.wait),
            SSXRVER_WRONG_THREAD);
  ssxrver_row_stream* stream = nullptr;
  EXPECT_EQ(
      plugin.db().stream(plugin.context(), text("main"), text("SELECT 1"), nullptr, 0, &stream),
      SSXRVER_WRONG_THREAD);
  EXPECT_EQ(stream, nullptr);
}

TEST_F(PluginDb, BothLoopsAskAtOnce) {
  serve_main({.pool_max = 2});
  cells("CREATE TABLE t (worker, n)");
  struct Chain {
    test::FakePlugin& plugin;
    std::uint32_t worker;
    int left = 25;
    ssxrver_wait* wait = nullptr;
    std::atomic<bool> done = false;

    static void step(void* context, std::int32_t status) {
      auto& chain = *static_cast<Chain*>(context);
      EXPECT_EQ(status, SSXRVER_OK);
      if (chain.left-- == 0) {
        chain.done = true;
        return;
      }
      const Values given = values(chain.worker, chain.left);
      EXPECT_EQ(chain.plugin.db().query(chain.plugin.context(), text("main"), nullptr,
                                        text("INSERT INTO t VALUES (?, ?)"), given.data(),
                                        given.size(), {&Chain::step, &chain}, &chain.wait),
                SSXRVER_PENDING);
    }
  };
  Chain chains[] = {{plugin, 0}, {plugin, 1}};
  for (Chain& chain : chains) {
    const auto begin = [&chain] { Chain::step(&chain, SSXRVER_OK); };
    on_loop(begin, chain.worker);
  }
  EXPECT_TRUE(wait_until([&chains] { return chains[0].done && chains[1].done; }));
  EXPECT_THAT(cells("SELECT worker, count(*) FROM t GROUP BY worker ORDER BY worker"),
              ElementsAre("0", "25", "1", "25"));
  EXPECT_TRUE(is_quiet());
}

// ---- bounds of the pool

TEST_F(PluginDb, RowsMaxIsLimit) {
  serve_main({.rows_max = 3});
  const auto ask = [this](int rows) {
    Asked asked;
    query(asked, {.sql = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) "
                         "SELECT x FROM n LIMIT ?",
                  .values = values(rows)});
    return std::pair(asked.status, asked.code);
  };
  EXPECT_EQ(ask(2).first, SSXRVER_OK);
  EXPECT_EQ(ask(3).first, SSXRVER_OK);
  const std::pair<std::int32_t, std::int32_t> kLimit(SSXRVER_LIMIT, SSXRVER_DB_RESULT_SIZE);
  EXPECT_EQ(ask(4), kLimit);
}

TEST_F(PluginDb, StatementBytesMaxIsLimit) {
  serve_main({.statement_bytes_max = 1024});
  const auto ask = [this](std::size_t bytes) {
    Asked asked;
    const std::string sql = "SELECT 1" + std::string(bytes - 8, ' ');
    query(asked, {.sql = sql});
    return asked.status;
  };
  EXPECT_EQ(ask(1023), SSXRVER_OK);
  EXPECT_EQ(ask(1024), SSXRVER_OK);
  EXPECT_EQ(ask(1025), SSXRVER_LIMIT);
}

TEST_F(PluginDb, WaitersMaxIsLimit) {
  serve_main({.pool_max = 1, .waiters_max = 1});
  Asked running;
  Asked queued;
  Asked refused;
  ASSERT_EQ(start(running, {.sql = test::kEndless}), SSXRVER_PENDING);
  ASSERT_EQ(start(queued, {.sql = "SELECT 1"}), SSXRVER_PENDING);
  query(refused, {.sql = "SELECT 1"});
  EXPECT_EQ(refused.status, SSXRVER_LIMIT);
  EXPECT_EQ(refused.code, SSXRVER_DB_NO_CONNECTION);
  cancel(running);
  EXPECT_TRUE(is_told(queued));
  EXPECT_EQ(queued.status, SSXRVER_OK);
}

TEST_F(PluginDb, TheTimesOfThePoolAreTwoKindsOfFailure) {
  serve_main({.pool_max = 1,
              .acquire_timeout = std::chrono::milliseconds(50),
              .query_timeout = std::chrono::milliseconds(1000)});
  // So little time may be too little to connect; once there is a connection nobody has to.
  EXPECT_TRUE(wait_until([this] {
    Asked first;
    query(first, {.sql = "SELECT 1"});
    return first.status == SSXRVER_OK;
  }));
  Asked running;
  Asked queued;
  ASSERT_EQ(start(running, {.sql = test::kEndless}), SSXRVER_PENDING);
  query(queued, {.sql = "SELECT 1"});
  EXPECT_EQ(queued.status, SSXRVER_UNAVAILABLE) << "it has not run";
  EXPECT_EQ(queued.code, SSXRVER_DB_NO_CONNECTION);
  EXPECT_TRUE(is_told(running));
  EXPECT_EQ(running.status, SSXRVER_TIMED_OUT);
}

}  // namespace
}  // namespace ssx::plugins
