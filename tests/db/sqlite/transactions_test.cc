// What a transaction leaves, and what a borrower leaves to the next.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <utility>

#include "tests/db/sqlite/sqlite_fixture.h"

namespace ssx::db {
namespace {

// ---- transactions

TEST_F(SqliteTest, ATransactionThatTheDatabaseUndidIsOver) {
  make_in_memory({.pool_max = 1});
  ASSERT_TRUE(query("CREATE TABLE t(a UNIQUE)"));
  ASSERT_TRUE(query("INSERT INTO t VALUES (1)"));
  const auto body = [](Database& base) -> Task<> {
    auto change = co_await base.begin();
    const auto kept = co_await change->query("INSERT INTO t VALUES (2)");
    EXPECT_TRUE(kept);
    const auto refused = co_await change->query("INSERT INTO t VALUES (1)");
    EXPECT_EQ(refused.error(), Errc::kConstraint);
    const auto open = co_await change->query("INSERT INTO t VALUES (3)");
    EXPECT_TRUE(open);
    const auto undone = co_await change->query("INSERT OR ROLLBACK INTO t VALUES (1)");
    EXPECT_EQ(undone.error(), Errc::kConstraint);
    const auto stray = co_await change->query("INSERT INTO t VALUES (4)");
    EXPECT_EQ(stray.error(), Errc::kConnectionLost);
    const auto end = co_await change->commit();
    EXPECT_EQ(end.error(), Errc::kConnectionLost);
  };
  run(body(*db));
  EXPECT_EQ(query("SELECT * FROM t")->size(), 1u);
}

TEST_F(SqliteTest, OnlyWhatIsCommittedStays) {
  make_in_memory({.pool_max = 2});
  ASSERT_TRUE(query("CREATE TABLE t(a)"));
  const auto body = [](Database& base, bool commit) -> Task<> {
    auto change = co_await base.begin();
    const auto done = co_await change->query("INSERT INTO t VALUES (?)", commit);
    EXPECT_TRUE(done);
    if (!commit) co_return;
    const auto end = co_await change->commit();
    EXPECT_TRUE(end);
  };
  run(body(*db, false));
  EXPECT_EQ(*(*query("SELECT count(*) FROM t"))[0].get<int>(0), 0);
  run(body(*db, true));
  EXPECT_EQ(*(*query("SELECT count(*) FROM t"))[0].get<int>(0), 1);
}

TEST_F(SqliteTest, ATransactionThatSomebodyLeftOpenIsUndone) {
  make_in_memory({.pool_max = 1});
  ASSERT_TRUE(query("CREATE TABLE t(a)"));
  ASSERT_TRUE(query("BEGIN"));
  ASSERT_TRUE(query("INSERT INTO t VALUES (1)"));  // not in it any more
  EXPECT_EQ(error_of(query("ROLLBACK")), Errc::kRejected);
  EXPECT_EQ(query("SELECT * FROM t")->size(), 1u);
}

// ---- what the next borrower gets

TEST_F(SqliteTest, ASessionThatWasChangedIsNotLentAgain) {
  make({.file = path("own.db")}, {.pool_max = 1});
  ASSERT_TRUE(query("CREATE TABLE t(a)"));
  std::uint64_t discarded = 0;
  const auto& counters = db->pool().counters();
  for (const auto& sql : {
           std::string("PRAGMA foreign_keys = OFF"),
           "ATTACH '" + path("other.db") + "' AS other",
           std::string("CREATE TEMP TABLE mine(a)"),
           std::string("CREATE TABLE temp.mine AS SELECT * FROM t"),
           std::string("CREATE TEMP VIEW seen AS SELECT a FROM t"),
           std::string("CREATE TEMP TRIGGER quiet BEFORE INSERT ON t BEGIN SELECT 1; END"),
       }) {
    ASSERT_TRUE(query(sql)) << sql;
    EXPECT_EQ(*(*query("PRAGMA foreign_keys"))[0].get<int>(0), 1) << sql;
    EXPECT_EQ(counters.discarded.value(), ++discarded) << sql;
  }
  EXPECT_EQ(query("PRAGMA database_list")->size(), 1u);
  EXPECT_EQ(error_of(query("SELECT * FROM mine")), Errc::kSyntax);
  EXPECT_EQ(query("SELECT * FROM temp.sqlite_master")->size(), 0u);
}

TEST_F(SqliteTest, WhatIsOfTheDatabaseLeavesTheSessionAsItIs) {
  make({.file = path("own.db")}, {.pool_max = 1});
  for (const auto* sql :
       {"CREATE TABLE t(a)", "CREATE INDEX i ON t(a)", "CREATE VIEW v AS SELECT a FROM t",
        "INSERT INTO t VALUES (1) RETURNING a", "UPDATE t SET a = 2", "DELETE FROM t",
        "ALTER TABLE t ADD COLUMN b", "SELECT * FROM v", "PRAGMA journal_mode",
        "SELECT * FROM pragma_table_info('t')", "DROP VIEW v", "ANALYZE", "VACUUM"}) {
    EXPECT_EQ(error_of(query(sql)), Errc::kOk) << sql;
    EXPECT_EQ(db->pool().counters().discarded.value(), 0u) << sql;
    EXPECT_EQ(db->pool().counters().reset.value(), 0u) << sql;
  }
  EXPECT_EQ(db->pool().counters().connected.value(), 1u);
}

}  // namespace
}  // namespace ssx::db
