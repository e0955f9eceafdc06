// Transactions and streams of rows behind the border: connections that a plugin keeps.
#include <string>

#include "tests/plugin/host/database_fixture.h"

namespace ssx::plugins {
namespace {

using test::Asked;
using test::text;
using testing::ElementsAre;

constexpr std::string_view kNumbers =
    "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT x FROM n LIMIT ?";

class PluginDbSession : public test::PluginDatabaseTest {
 protected:
  void serve_table(const db::PoolOptions& pool = {}) {
    open_sqlite("main", pool);
    serve();
    cells("CREATE TABLE t (a UNIQUE)");
  }
  std::string in_table() {
    const auto found = cells("SELECT count(*) FROM t");
    return found.empty() ? "nothing" : found[0];
  }
};

TEST_F(PluginDbSession, ATransactionIsCommitted) {
  serve_table();
  ssxrver_transaction* const change = begin();
  EXPECT_TRUE(is_held_by("1 transaction"));
  cells({.sql = "INSERT INTO t VALUES (1)", .transaction = change});
  cells({.sql = "INSERT INTO t VALUES (2)", .transaction = change});
  EXPECT_EQ(in_table(), "0");
  Asked end(Asked::For::kEnd);
  ASSERT_EQ(start_commit(end, change), SSXRVER_PENDING);
  ASSERT_TRUE(is_told(end));
  EXPECT_EQ(end.status, SSXRVER_OK);
  EXPECT_EQ(in_table(), "2");
  EXPECT_TRUE(is_quiet()) << "it has no connection any more";
  Asked late;
  EXPECT_EQ(start(late, {.sql = "SELECT 1", .transaction = change}), SSXRVER_CLOSED);
  EXPECT_EQ(start_commit(late, change), SSXRVER_CLOSED);
  free(change);
}

TEST_F(PluginDbSession, AFreedTransactionIsRolledBack) {
  serve_table();
  ssxrver_transaction* const change = begin();
  cells({.sql = "INSERT INTO t VALUES (1)", .transaction = change});
  free(change);
  EXPECT_TRUE(is_quiet());
  EXPECT_EQ(in_table(), "0");
}

TEST_F(PluginDbSession, ATransactionMayBeFreedOnAnyThread) {
  serve_table({.pool_max = 1});
  plugin.db().free_transaction(begin(1));
  EXPECT_TRUE(is_quiet());
  EXPECT_EQ(in_table(), "0") << "the one connection is free again";
}

TEST_F(PluginDbSession, ATransactionThatNobodyTookIsRolledBack) {
  serve_table({.pool_max = 1});
  Asked asked(Asked::For::kNothing);
  on_loop([&] {
    EXPECT_EQ(plugin.db().begin(plugin.context(), text("main"), asked.waiter(), &asked.wait),
              SSXRVER_PENDING);
  });
  EXPECT_TRUE(is_told(asked));
  EXPECT_TRUE(is_quiet());
  EXPECT_EQ(in_table(), "0");
}

TEST_F(PluginDbSession, AnErrorInATransactionLeavesItOpen) {
  serve_table();
  ssxrver_transaction* const change = begin();
  cells({.sql = "INSERT INTO t VALUES (1)", .transaction = change});
  Asked twice;
  query(twice, {.sql = "INSERT INTO t VALUES (1)", .transaction = change});
  EXPECT_EQ(twice.code, SSXRVER_DB_CONSTRAINT);
  Asked end(Asked::For::kEnd);
  ASSERT_EQ(start_commit(end, change), SSXRVER_PENDING);
  ASSERT_TRUE(is_told(end));
  EXPECT_EQ(in_table(), "1");
  free(change);
}

TEST_F(PluginDbSession, ACommitThatFailsSaysWhy) {
  serve_table();
  cells("CREATE TABLE child (a REFERENCES t (a) DEFERRABLE INITIALLY DEFERRED)");
  ssxrver_transaction* const change = begin();
  cells({.sql = "INSERT INTO child VALUES (7)", .transaction = change});
  Asked end(Asked::For::kEnd);
  ASSERT_EQ(start_commit(end, change), SSXRVER_PENDING);
  ASSERT_TRUE(is_told(end));
  EXPECT_EQ(end.status, SSXRVER_ERROR);
  EXPECT_EQ(end.code, SSXRVER_DB_CONSTRAINT);
  EXPECT_THAT(end.why, testing::HasSubstr("FOREIGN KEY"));
  free(change);
  EXPECT_THAT(cells("SELECT count(*) FROM child"), ElementsAre("0"));
}

TEST_F(PluginDbSession, OneOperationAtATime) {
  serve_table();
  ssxrver_transaction* const change = begin();
  Asked slow;
  Asked second;
  std::int32_t status = SSXRVER_OK;
  on_loop([&] {
    ASSERT_EQ(start_here(slow, {.sql = "SELECT 1", .transaction = change}), SSXRVER_PENDING);
    status = start_here(second, {.sql = "SELECT 2", .transaction = change});
  });
  EXPECT_EQ(status, SSXRVER_INVALID);
  EXPECT_EQ(count(&Counters::misuses), 1U);
  EXPECT_TRUE(is_told(slow));
  EXPECT_THAT(slow.cells, ElementsAre("1"));
  free(change);
}

TEST_F(PluginDbSession, BelongsToTheLoopAndTheInstanceThatBeganIt) {
  serve_table();
  ssxrver_transaction* const change = begin(0);
  Asked asked;
  EXPECT_EQ(start(asked, {.sql = "SELECT 1", .transaction = change, .worker = 1}),
            SSXRVER_WRONG_THREAD);
  const auto other =
      Instance::create(environment, {.name = "other", .mount = "/other", .desc = &plugin.desc});
  ASSERT_TRUE(other) << other.error();
  EXPECT_EQ(start(asked, {.sql = "SELECT 1", .transaction = change}), SSXRVER_INVALID);
  free(change);
  EXPECT_TRUE(is_quiet());
}

TEST_F(PluginDbSession, WhatIsFreedWhileItWorksEndsFirst) {
  serve_table({.pool_max = 1});
  ssxrver_transaction* const change = begin();
  Asked asked;
  on_loop([&] {
    ASSERT_EQ(start_here(asked, {.sql = "INSERT INTO t VALUES (1)", .transaction = change}),
              SSXRVER_PENDING);
    plugin.db().free_transaction(change);
  });
  EXPECT_TRUE(is_told(asked));
  EXPECT_EQ(asked.status, SSXRVER_OK);
  EXPECT_TRUE(is_quiet());
  EXPECT_EQ(in_table(), "0") << "it was rolled back";
}

TEST_F(PluginDbSession, ACancelledQueryEndsItsTransaction) {
  serve_table({.pool_max = 1});
  ssxrver_transaction* const change = begin();
  cells({.sql = "INSERT INTO t VALUES (1)", .transaction = change});
  Asked endless;
  ASSERT_EQ(start(endless, {.sql = test::kEndless, .transaction = change}), SSXRVER_PENDING);
  cancel(endless);
  Asked late;
  EXPECT_EQ(start(late, {.sql = "SELECT 1", .transaction = change}), SSXRVER_CLOSED);
  EXPECT_TRUE(is_quiet());
  EXPECT_EQ(in_table(), "0") << "the connection was given back";
  free(change);
  EXPECT_FALSE(endless.told);
}

// ---- streams

class PluginDbStream : public PluginDbSession {
 protected:
  ssxrver_row_stream* open(std::string_view sql, const Values& given = {},
                           std::string_view database = "main") {
    ssxrver_row_stream* stream = nullptr;
    on_loop([&] {
      EXPECT_EQ(plugin.db().stream(plugin.context(), text(database), text(sql), given.data(),
                                   given.size(), &stream),
                SSXRVER_OK);
    });
    return stream;
  }
  std::int32_t start_next(Asked& asked, ssxrver_row_stream* stream) {
    std::int32_t status = SSXRVER_OK;
    on_loop([&] { status = plugin.db().next(stream, asked.waiter(), &asked.wait); });
    return status;
  }
  void next(Asked& asked, ssxrver_row_stream* stream) {
    ASSERT_EQ(start_next(asked, stream), SSXRVER_PENDING);
    ASSERT_TRUE(is_told(asked));
  }
  void free_stream(ssxrver_row_stream* stream) {
    on_loop([&] { plugin.db().free_stream(stream); });
  }
};

TEST_F(PluginDbStream, GivesEveryRowOnce) {
  serve_table({.pool_max = 1, .rows_max = 1});
  ssxrver_row_stream* const stream = open(kNumbers, values(5000));
  EXPECT_EQ(counters_of("main").lent.value(), 1U) << "nothing runs yet";
  std::size_t rows = 0;
  std::size_t batches = 0;
  for (bool is_over = false; !is_over;) {
    Asked batch;
    next(batch, stream);
    ASSERT_EQ(batch.status, SSXRVER_OK) << batch.why;
    is_over = batch.cells.empty();
    for (const std::string& cell : batch.cells) ASSERT_EQ(cell, std::to_string(++rows));
    ++batches;
  }
  EXPECT_EQ(rows, 5000U);
  EXPECT_GT(batches, 2U);
  EXPECT_EQ(in_table(), "0") << "its connection went back behind the last row";
  Asked again;
  next(again, stream);
  EXPECT_EQ(again.status, SSXRVER_OK);
  EXPECT_TRUE(again.cells.empty());
  free_stream(stream);
  EXPECT_TRUE(is_quiet());
}

TEST_F(PluginDbStream, GivesUpTheRestWhenItIsFreed) {
  serve_table({.pool_max = 1});
  ssxrver_row_stream* const stream = open(kNumbers, values(1'000'000));
  Asked batch;
  next(batch, stream);
  EXPECT_TRUE(is_held_by("1 row stream"));
  free_stream(stream);
  EXPECT_TRUE(is_quiet());
  EXPECT_EQ(in_table(), "0");
}

TEST_F(PluginDbStream, ThatIsNotAskedHasRunNothing) {
  serve_table();
  free_stream(open("INSERT INTO t VALUES (1)"));
  EXPECT_TRUE(is_quiet());
  EXPECT_EQ(in_table(), "0");
}

TEST_F(PluginDbStream, SaysWhyAndIsOver) {
  serve_table();
  ssxrver_row_stream* const stream = open("SELEKT");
  Asked asked;
  next(asked, stream);
  EXPECT_EQ(asked.code, SSXRVER_DB_SYNTAX);
  Asked late;
  EXPECT_EQ(start_next(late, stream), SSXRVER_CLOSED);
  free_stream(stream);
  ssxrver_row_stream* const lost = open("SELECT 1", {}, "none");
  Asked unknown;
  next(unknown, lost);
  EXPECT_EQ(unknown.status, SSXRVER_NOT_FOUND);
  EXPECT_EQ(unknown.why, "no database \"none\": configured: \"main\"");
  free_stream(lost);
}

TEST_F(PluginDbStream, IsOverWhenItWasCancelled) {
  serve_table({.pool_max = 1});
  ssxrver_row_stream* const stream = open(test::kEndless);
  Asked asked;
  Asked late;
  on_loop([&] {
    ASSERT_EQ(plugin.db().next(stream, asked.waiter(), &asked.wait), SSXRVER_PENDING);
    EXPECT_EQ(plugin.db().next(stream, late.waiter(), &late.wait), SSXRVER_INVALID);
  });
  cancel(asked);
  EXPECT_EQ(start_next(late, stream), SSXRVER_CLOSED);
  EXPECT_TRUE(is_quiet());
  EXPECT_EQ(in_table(), "0");
  free_stream(stream);
}

}  // namespace
}  // namespace ssx::plugins
