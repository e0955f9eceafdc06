#include "ssxrver/db/sqlite/sqlite_driver.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <latch>
#include <limits>
#include <memory>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "ssxrver/db/typed_rows.h"
#include "ssxrver/net/spawn.h"
#include "tests/db/sqlite/sqlite_fixture.h"

namespace ssx::db {
namespace {

using std::string_view_literals::operator""sv;
using testing::ElementsAre;
using testing::HasSubstr;

// ---- values

TEST_F(SqliteTest, ValuesComeBackAsTheyWere) {
  make_in_memory();
  const Values values = {nullptr,
                         0,
                         std::numeric_limits<std::int64_t>::min(),
                         std::numeric_limits<std::int64_t>::max(),
                         -0.5,
                         "",
                         "text \xc3\xa4 'quoted' \"twice\"",
                         "a\0b"sv,
                         Bytes(),
                         as_bytes("\xff\0\x80"sv)};
  for (const Value& value : values) {
    const auto rows = query("SELECT ? AS v", value);
    ASSERT_TRUE(rows) << rows.error().message();
    EXPECT_EQ((*rows)[0][0], value.view());
    EXPECT_EQ(rows->columns()[0], "v");
  }
  EXPECT_EQ(error_of(query("SELECT ?", ~std::uint64_t{0})), Errc::kOutOfRange);
}

TEST_F(SqliteTest, SaysWhatAStatementHasDone) {
  make_in_memory();
  const auto made = query("CREATE TABLE note(id INTEGER PRIMARY KEY, text TEXT NOT NULL)");
  ASSERT_TRUE(made) << made.error().message();
  EXPECT_EQ(made->affected(), 0u);
  const auto first = query("INSERT INTO note(text) VALUES (?), (?)", "a", "b");
  EXPECT_EQ(first->affected(), 2u);
  EXPECT_EQ(first->last_insert_id(), 2);
  const auto changed = query("UPDATE note SET text = ? WHERE id = ?", "c", 1);
  EXPECT_EQ(changed->affected(), 1u);
  EXPECT_EQ(changed->last_insert_id(), 0);
  EXPECT_EQ(query("DELETE FROM note WHERE id = 99")->affected(), 0u);
  using Note = std::tuple<std::int64_t, std::string>;
  const auto notes = query("SELECT id, text FROM note ORDER BY id");
  EXPECT_EQ(notes->affected(), 0u);
  EXPECT_THAT(*notes->as<Note>(), ElementsAre(Note(1, "c"), Note(2, "b")));
}

TEST_F(SqliteTest, SeesANewColumnOfATableThroughAnOldStatement) {
  make_in_memory({.pool_max = 1});
  ASSERT_TRUE(query("CREATE TABLE t(a)"));
  ASSERT_TRUE(query("INSERT INTO t VALUES (1)"));
  EXPECT_EQ(query("SELECT * FROM t")->columns().size(), 1u);
  ASSERT_TRUE(query("ALTER TABLE t ADD COLUMN b DEFAULT 2"));
  const auto rows = query("SELECT * FROM t");
  ASSERT_EQ(rows->columns().size(), 2u);
  EXPECT_EQ(*(*rows)[0].get<int>("b"), 2);
}

// ---- what it refuses

TEST_F(SqliteTest, NamesWhatIsWrong) {
  make_in_memory();
  ASSERT_TRUE(
      query("CREATE TABLE t(id INTEGER PRIMARY KEY, name TEXT UNIQUE NOT NULL, "
            "parent REFERENCES t(id), CHECK (length(name) < 9))"));
  ASSERT_TRUE(query("INSERT INTO t(name) VALUES ('a')"));
  EXPECT_EQ(error_of(query("SELEKT 1")), Errc::kSyntax);
  EXPECT_EQ(error_of(query("SELECT nothing FROM t")), Errc::kSyntax);
  EXPECT_EQ(error_of(query("SELECT \"nothing\" FROM t")), Errc::kSyntax);
  EXPECT_EQ(error_of(query("")), Errc::kSyntax);
  EXPECT_EQ(error_of(query("-- only a comment")), Errc::kSyntax);
  EXPECT_EQ(error_of(query("INSERT INTO t(name) VALUES ('a')")), Errc::kConstraint);
  EXPECT_EQ(error_of(query("INSERT INTO t(name) VALUES (NULL)")), Errc::kConstraint);
  EXPECT_EQ(error_of(query("INSERT INTO t(name) VALUES ('123456789')")), Errc::kConstraint);
  EXPECT_EQ(error_of(query("INSERT INTO t(name, parent) VALUES ('b', 7)")), Errc::kConstraint);
  const auto twice = query("INSERT INTO t(name) VALUES ('a')");
  EXPECT_EQ(twice.error().text(), "UNIQUE constraint failed: t.name");
  EXPECT_EQ(twice.error().vendor_code(), 2067);
  EXPECT_EQ(db->pool().counters().discarded.value(), 0u);
}

TEST_F(SqliteTest, TakesAsManyParametersAsThereArePlaces) {
  make_in_memory();
  EXPECT_EQ(error_of(query("SELECT ?, ?", 1)), Errc::kParameterCount);
  EXPECT_EQ(error_of(query("SELECT ?, ?", 1, 2)), Errc::kOk);
  EXPECT_EQ(error_of(query("SELECT ?, ?", 1, 2, 3)), Errc::kParameterCount);
  EXPECT_EQ(error_of(query("SELECT 1", 1)), Errc::kParameterCount);
}

TEST_F(SqliteTest, RunsOneStatementAtATime) {
  make_in_memory();
  ASSERT_TRUE(query("CREATE TABLE t(a)"));
  EXPECT_EQ(error_of(query("SELECT 1; DROP TABLE t")), Errc::kUnsupported);
  EXPECT_EQ(error_of(query("SELECT 1; /* a comment */ SELEKT")), Errc::kUnsupported);
  EXPECT_EQ(error_of(query("SELECT 1; -- a comment\n ; ")), Errc::kOk);
  EXPECT_EQ(error_of(query("SELECT * FROM t")), Errc::kOk);
}

TEST_F(SqliteTest, AParameterIsNeverAPartOfTheStatement) {
  make_in_memory();
  ASSERT_TRUE(query("CREATE TABLE user(name TEXT, secret TEXT)"));
  ASSERT_TRUE(query("INSERT INTO user VALUES ('ada', 's')"));
  const std::vector<std::string> attempts = {"' OR '1'='1",
                                             "'; DROP TABLE user; --",
                                             "ada' --",
                                             "\\' OR 1=1 --",
                                             std::string("ada\0' OR 1=1", 12),
                                             "\" OR \"\"=\"",
                                             "?",
                                             "ada';",
                                             "' UNION SELECT secret FROM user --",
                                             "\xbf' OR 1=1"};
  for (const std::string& attempt : attempts) {
    EXPECT_EQ(query("SELECT * FROM user WHERE name = ?", attempt)->size(), 0u) << attempt;
    ASSERT_TRUE(query("INSERT INTO user VALUES (?, '')", attempt)) << attempt;
    const auto back = query("SELECT name FROM user WHERE name = ?", attempt);
    ASSERT_EQ(back->size(), 1u) << attempt;
    EXPECT_EQ(*(*back)[0].get<std::string>(0), attempt);
  }
  EXPECT_EQ(query("SELECT * FROM user WHERE name = 'ada'")->size(), 1u);
}

TEST_F(SqliteTest, ANulByteInATextIsRefused) {
  make_in_memory();
  ASSERT_TRUE(query("CREATE TABLE t(a)"));
  for (const auto sql : {"SELECT 1\0"sv, "SELECT 1;\0"sv, "SELECT 1; \0 DROP TABLE t"sv,
                         "\0SELECT 1"sv, "SELECT 'a\0b'"sv}) {
    const auto refused = query(Statement(sql));
    EXPECT_EQ(error_of(refused), Errc::kSyntax) << sql;
    EXPECT_THAT(refused.error().text(), HasSubstr(std::to_string(sql.find('\0'))));
  }
  EXPECT_EQ(*(*query("SELECT ?", "a\0b"sv))[0].get<std::string>(0), "a\0b"sv);
}

// ---- limits

TEST_F(SqliteTest, WhatIsTooLongSaysWhichWay) {
  // As a user of the driver alone: a Database looks at the length before.
  const PoolOptions small = {.bytes_max = 4096, .statement_bytes_max = 1024};
  auto driver = SqliteDriver::create(*tasks, {}, small);
  ASSERT_TRUE(driver);
  const auto body = [](Driver& seam) -> Task<> {
    auto connection = co_await seam.connect();
    Statement fits("SELECT length(?)", std::string(4000, 'x'));
    const auto taken = co_await (*connection)->execute(std::move(fits), BatchLimits());
    EXPECT_TRUE(taken);
    Statement bound("SELECT length(?)", std::string(4097, 'x'));
    const auto parameter = co_await (*connection)->execute(std::move(bound), BatchLimits());
    EXPECT_EQ(parameter.error(), Errc::kStatementTooLong);
    EXPECT_THAT(parameter.error().text(), HasSubstr("too big"));
    Statement made("SELECT zeroblob(5000)");
    const auto result = co_await (*connection)->execute(std::move(made), BatchLimits());
    EXPECT_EQ(result.error(), Errc::kResultTooLarge);
    EXPECT_THAT(result.error().text(), HasSubstr("too big"));
    seam.discard(*std::move(connection));
  };
  run(body(**driver));
  tasks->stop(net::TaskPool::Pending::kRun);
}

TEST_F(SqliteTest, GivesAsManyRowsAndBytesAsTheOptionsSay) {
  make_in_memory({.pool_max = 1, .rows_max = 10, .bytes_max = 4096});
  const auto rows = [this](int count) {
    return query(
        "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n WHERE x < ?) "
        "SELECT x FROM n",
        count);
  };
  EXPECT_EQ(rows(9)->size(), 9u);
  EXPECT_EQ(rows(10)->size(), 10u);
  EXPECT_EQ(error_of(rows(11)), Errc::kTooManyRows);
  EXPECT_EQ(error_of(query("SELECT zeroblob(4079)")), Errc::kOk);
  EXPECT_EQ(error_of(query("SELECT zeroblob(4080)")), Errc::kOk);
  EXPECT_EQ(error_of(query("SELECT zeroblob(4081)")), Errc::kResultTooLarge);
  // What is far too large is not even made.
  EXPECT_EQ(error_of(query("SELECT zeroblob(900000000)")), Errc::kResultTooLarge);
  EXPECT_EQ(rows(1)->size(), 1u);
}

TEST_F(SqliteTest, AStreamGivesEveryRowOnce) {
  make_in_memory({.pool_max = 1});
  std::int64_t sum = 0;
  std::size_t batches = 0;
  const auto body = [](Database& base, std::int64_t& added, std::size_t& count) -> Task<> {
    auto stream = co_await base.stream(
        "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n WHERE x < ?) "
        "SELECT x, ? FROM n",
        2500, "a parameter that lives as long as the stream");
    EXPECT_TRUE(stream);
    for (;;) {
      const auto batch = co_await stream->next();
      EXPECT_TRUE(batch);
      if (!batch || batch->empty()) break;
      ++count;
      for (const Row row : *batch) {
        added += *row.get<std::int64_t>(0);
        EXPECT_EQ(*row.get<std::string_view>(1), "a parameter that lives as long as the stream");
      }
    }
  };
  run(body(*db, sum, batches));
  EXPECT_EQ(sum, 2500 * 2501 / 2);
  EXPECT_GE(batches, 3u);
}

// ---- files

TEST_F(SqliteTest, AFileIsThereForTheNextAndHasALog) {
  make({.file = path("notes.db")});
  ASSERT_TRUE(query("CREATE TABLE t(a)"));
  ASSERT_TRUE(query("INSERT INTO t VALUES (7)"));
  EXPECT_EQ(*(*query("PRAGMA journal_mode"))[0].get<std::string>(0), "wal");
  EXPECT_TRUE(std::filesystem::exists(path("notes.db-wal")));
  db.reset();
  make({.file = path("notes.db")});
  EXPECT_EQ(*(*query("SELECT a FROM t"))[0].get<int>(0), 7);
}

TEST_F(SqliteTest, AFileThatCannotBeOpenedIsToldAtOnce) {
  const auto why = [this](const SqliteOptions& options) {
    const auto driver = SqliteDriver::create(*tasks, options, {});
    return driver ? "" : driver.error().message();
  };
  EXPECT_THAT(why({.file = path("no/such/folder.db")}), HasSubstr("unable to open database file"));
  EXPECT_THAT(why({.file = dir.path()}), HasSubstr("unable to open database file"));
  std::ofstream(path("text")) << std::string(4096, 'x');
  EXPECT_THAT(why({.file = path("text")}), HasSubstr("file is not a database"));
  EXPECT_EQ(why({.file = path("file:new.db?mode=memory")}), "");  // a name like any other
  EXPECT_TRUE(std::filesystem::exists(path("file:new.db?mode=memory")));
}

TEST_F(SqliteTest, NeedsTaskThreads) {
  const auto none = pool_of({.threads = 0});
  const auto driver = SqliteDriver::create(*none, {}, {});
  EXPECT_EQ(driver.error(), Errc::kUnsupported);
  EXPECT_EQ(driver.error().text(), "it needs task threads, and there are none");
  const auto on_loop = pool_of({.threads = 0, .overflow = net::TaskOverflow::kRunOnLoop});
  EXPECT_TRUE(SqliteDriver::create(*on_loop, {}, {}));
}

TEST_F(SqliteTest, AFullTaskQueueIsUnavailable) {
  tasks = pool_of({.threads = 1, .queue_limit = 1});
  make_in_memory({.pool_max = 4, .on_unavailable = OnUnavailable::kFail});
  const auto begun = std::make_shared<std::latch>(1);
  const auto release = std::make_shared<std::latch>(1);
  tasks->run(
      *loop,
      [begun, release] {
        begun->count_down();
        release->wait();
      },
      [](const ssx::Result<void>&) {});
  begun->wait();
  std::vector<std::string> ends;
  const auto ask = [](Database& base, std::vector<std::string>& told) -> Task<> {
    const auto rows = co_await base.query("SELECT 1");
    told.push_back(rows ? "ok" : rows.error().error().code().message());
  };
  for (int i = 0; i < 3; ++i) net::spawn(*loop, ask(*db, ends), &net::log_failure);
  loop->run_until([&ends] { return ends.size() >= 2; });
  const std::string unavailable(to_string(Errc::kUnavailable));
  EXPECT_THAT(ends, ElementsAre(unavailable, unavailable));
  release->count_down();
  loop->run_until([&ends] { return ends.size() >= 3; });
  EXPECT_EQ(ends.back(), "ok");
}

TEST_F(SqliteTest, TheConnectionsOfOneDatabaseInMemoryShareIt) {
  make_in_memory({.pool_max = 2});
  ASSERT_TRUE(query("CREATE TABLE t(a)"));
  const auto body = [](Database& base) -> Task<> {
    const auto first = co_await base.pool().acquire();
    auto second = co_await base.pool().acquire();
    EXPECT_TRUE(second);
    Statement read("SELECT count(*) FROM t");
    const auto seen = co_await second->execute(std::move(read), BatchLimits());
    EXPECT_TRUE(seen);
  };
  run(body(*db));
  EXPECT_EQ(db->pool().counters().connected.value(), 2u);
}

TEST_F(SqliteTest, DatabasesInMemoryAreApart) {
  make_in_memory();
  ASSERT_TRUE(query("CREATE TABLE t(a)"));
  auto first = std::move(db);
  make_in_memory();
  EXPECT_EQ(error_of(query("SELECT * FROM t")), Errc::kSyntax);
  first.swap(db);
  EXPECT_EQ(error_of(query("SELECT * FROM t")), Errc::kOk);
}

}  // namespace
}  // namespace ssx::db
