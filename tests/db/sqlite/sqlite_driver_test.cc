#include "ssxrver/db/sqlite/sqlite_driver.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <latch>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

#include "ssxrver/db/database.h"
#include "ssxrver/db/typed_rows.h"
#include "ssxrver/net/awaitables.h"
#include "ssxrver/net/spawn.h"
#include "ssxrver/net/timeout.h"
#include "tests/support/temp_dir.h"

namespace ssx::db {
namespace {

using namespace std::chrono_literals;  // NOLINT(google-build-using-namespace): literals only
using std::string_view_literals::operator""sv;
using testing::ElementsAre;
using testing::HasSubstr;

std::unique_ptr<net::TaskPool> pool_of(net::TaskOptions options) {
  auto pool = net::TaskPool::start(options);
  SSX_ASSERT(pool.has_value());
  return *std::move(pool);
}

/// Counts to ten thousand millions, which nobody waits for.
constexpr auto kEndless =
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

// ---- limits

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

// ---- time and cancellation

TEST_F(SqliteTest, AQueryThatTakesTooLongIsStopped) {
  make_in_memory({.pool_max = 1, .query_timeout = 20ms});
  EXPECT_EQ(error_of(query(kEndless)), Errc::kQueryTimedOut);
  EXPECT_EQ(*(*query("SELECT 7"))[0].get<int>(0), 7);
  // The thread is free again: stop() joins it, and would wait for ever.
  tasks->stop(net::TaskPool::Pending::kRun);
}

TEST_F(SqliteTest, AQueryThatNobodyAwaitsIsStopped) {
  make_in_memory({.pool_max = 1, .query_timeout = 0ms});
  const auto body = [](Database& base) -> Task<> {
    const auto end = co_await net::with_timeout(20ms, base.query(kEndless));
    EXPECT_FALSE(end);
    const auto next = co_await base.query("SELECT 7");
    EXPECT_TRUE(next);
  };
  run(body(*db));
  EXPECT_EQ(db->pool().counters().cancelled.value(), 1u);
  tasks->stop(net::TaskPool::Pending::kRun);
}

TEST_F(SqliteTest, AStreamIsStoppedInTheMiddle) {
  make_in_memory({.pool_max = 1});
  const auto body = [](Database& base) -> Task<> {
    {
      auto stream = co_await base.stream(
          "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT x FROM n");
      const auto batch = co_await stream->next();
      EXPECT_EQ(batch->size(), 1000u);
    }
    const auto next = co_await base.query("SELECT 7");
    EXPECT_EQ(*(*next)[0].get<int>(0), 7);
  };
  run(body(*db));
  EXPECT_EQ(db->pool().counters().discarded.value(), 0u);
}

TEST_F(SqliteTest, WaitsForALockAsLongAsItMay) {
  const PoolOptions two = {.pool_max = 2};
  make({.file = path("lock.db"), .busy_timeout = 30ms}, two);
  ASSERT_TRUE(query("CREATE TABLE t(a)"));
  const auto body = [](Database& base) -> Task<> {
    auto first = co_await base.begin();
    const auto second = co_await base.begin();
    EXPECT_EQ(second.error(), Errc::kConflict);
    const auto end = co_await first->commit();
    EXPECT_TRUE(end);
    const auto third = co_await base.begin();
    EXPECT_TRUE(third);
  };
  run(body(*db));
}

TEST_F(SqliteTest, WhoWaitsForALockCanBeStopped) {
  make({.file = path("lock.db"), .busy_timeout = 1h}, {.pool_max = 2, .query_timeout = 30ms});
  ASSERT_TRUE(query("CREATE TABLE t(a)"));
  const auto body = [](Database& base) -> Task<> {
    auto first = co_await base.begin();
    const auto second = co_await base.begin();
    EXPECT_EQ(second.error(), Errc::kQueryTimedOut);
    const auto end = co_await first->commit();
    EXPECT_TRUE(end);
  };
  run(body(*db));
  tasks->stop(net::TaskPool::Pending::kRun);
}

// ---- transactions

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

TEST_F(SqliteTest, DatabasesInMemoryAreApart) {
  make_in_memory();
  ASSERT_TRUE(query("CREATE TABLE t(a)"));
  auto first = std::move(db);
  make_in_memory();
  EXPECT_EQ(error_of(query("SELECT * FROM t")), Errc::kSyntax);
  first.swap(db);
  EXPECT_EQ(error_of(query("SELECT * FROM t")), Errc::kOk);
}

// ---- several loops

/// `writers` coroutines that each add one, `times` times.
Task<> write(Database& base, int times) {
  for (int i = 0; i < times; ++i) {
    auto change = co_await base.begin();
    EXPECT_TRUE(change);
    if (!change) co_return;
    const auto row = co_await change->query("SELECT n FROM counter");
    const auto sum = (*row)[0].get<int>(0);
    const auto done = co_await change->query("UPDATE counter SET n = ?", *sum + 1);
    EXPECT_TRUE(done);
    const auto end = co_await change->commit();
    EXPECT_TRUE(end);
  }
}

TEST_F(SqliteTest, EightCoroutinesOnTwoLoopsLoseNothing) {
  make({.file = path("counter.db")}, {.pool_max = 3, .acquire_timeout = 60s});
  ASSERT_TRUE(query("CREATE TABLE counter(n)"));
  ASSERT_TRUE(query("INSERT INTO counter VALUES (0)"));
  constexpr int kCoroutines = 4;
  constexpr int kTimes = 25;
  const auto work = [this] {
    const auto own = *net::EventLoop::create();
    int left = kCoroutines;
    const auto body = [](Database& base, int& running) -> Task<> {
      co_await write(base, kTimes);
      --running;
    };
    for (int i = 0; i < kCoroutines; ++i) {
      net::spawn(*own, body(*db, left), &net::log_failure);
    }
    own->run_until([&left] { return left == 0; });
    own->stop();
    own->run();
  };
  std::thread first(work);
  std::thread second(work);
  first.join();
  second.join();
  EXPECT_EQ(*(*query("SELECT n FROM counter"))[0].get<int>(0), 2 * kCoroutines * kTimes);
  EXPECT_LE(db->pool().counters().connected.value(), 3u);
}

}  // namespace
}  // namespace ssx::db
