#include "ssxrver/db/mysql/connection.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <string>

#include "tests/db/mysql/mysql_fixture.h"

namespace ssx::db::mysql {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using State = Connection::State;

class MysqlConnectionTest : public MysqlTest {
 protected:
  void SetUp() override {
    SSX_NEEDS_PEER(MariadbServer::installed(), "mariadb-server");
    ASSERT_TRUE(start());
  }
  [[nodiscard]] std::size_t prepared_count() const {
    return static_cast<const MysqlConnection&>(*connection_).prepared_count_for_test();
  }
};

TEST_F(MysqlConnectionTest, EveryTypeComesBackAsItIs) {
  ASSERT_TRUE(execute(
      "CREATE TABLE t (i8 TINYINT, u8 TINYINT UNSIGNED, i64 BIGINT, u64 BIGINT UNSIGNED, y YEAR, "
      "f FLOAT, d DOUBLE, n DECIMAL(20,4), b1 BIT(1), b64 BIT(64), v VARCHAR(20), x TEXT, "
      "bin VARBINARY(9), l BLOB, e ENUM('small','large'), da DATE, ti TIME(3), dt DATETIME(6))"));
  ASSERT_TRUE(
      execute("INSERT INTO t VALUES (-128, 255, ?, ?, 2026, 0.5, ?, '-1234567890123456.0001', "
              "b'1', ~0, ?, ?, ?, ?, 'large', '2026-02-28', '-12:34:56.789', "
              "'2026-11-22 22:10:00.000001')",
              std::numeric_limits<std::int64_t>::min(), std::numeric_limits<std::uint64_t>::max(),
              0.1, "name", "", as_bytes(std::string_view("\0\xff", 2)), Bytes()));
  EXPECT_THAT(
      cells("SELECT * FROM t"),
      ElementsAre("-128", "255", "-9223372036854775808", "18446744073709551615u", "2026",
                  "0.500000", "0.100000", "-1234567890123456.0001", "1", "18446744073709551615u",
                  "name", "", std::string("bytes \0\xff", 8), "bytes ", "large", "2026-02-28",
                  "-12:34:56.789", "2026-11-22 22:10:00.000001"));
  EXPECT_THAT(cells("SELECT u8 + 0, NULL, COUNT(*), ? FROM t", std::nullopt),
              ElementsAre("255", "null", "1", "null"));
  // What is an integer there is bound as one here, and a double to the last bit.
  EXPECT_THAT(cells("SELECT COUNT(*) FROM t WHERE i64 = ? AND u64 = ? AND d = ?",
                    std::numeric_limits<std::int64_t>::min(),
                    std::numeric_limits<std::uint64_t>::max(), 0.1),
              ElementsAre("1"));
  ASSERT_TRUE(execute("INSERT INTO t () VALUES ()"));
  EXPECT_EQ(cells("SELECT * FROM t WHERE i8 IS NULL"), std::vector<std::string>(18, "null"));
}

TEST_F(MysqlConnectionTest, TextIsUtf8InBothDirections) {
  const std::string text = "Gr\u00fc\u00dfe \u2603 \U0001d11e";
  EXPECT_THAT(cells("SELECT ?, CHAR_LENGTH(?), '\u2603'", text, text),
              ElementsAre(text, "9", "\u2603"));
  ASSERT_TRUE(execute("CREATE TABLE u (t VARCHAR(20)) CHARACTER SET utf8mb4"));
  ASSERT_TRUE(execute("INSERT INTO u VALUES (?)", text));
  EXPECT_EQ(server_->ask("SELECT t FROM u"), text + "\n");
}

TEST_F(MysqlConnectionTest, SaysWhatAStatementHasDone) {
  ASSERT_TRUE(execute("CREATE TABLE k (id INT AUTO_INCREMENT PRIMARY KEY, a INT)"));
  const auto inserted = execute("INSERT INTO k (a) VALUES (1), (2), (3)");
  ASSERT_TRUE(inserted);
  EXPECT_EQ(inserted->rows.affected(), 3U);
  EXPECT_EQ(inserted->rows.last_insert_id(), 1);
  const auto changed = execute("UPDATE k SET a = ? WHERE id > ?", 7, 1);
  ASSERT_TRUE(changed);
  EXPECT_EQ(changed->rows.affected(), 2U);
  const auto none = execute("SELECT id, a AS b FROM k WHERE id = 77");
  ASSERT_TRUE(none);
  EXPECT_TRUE(none->rows.empty());
  EXPECT_THAT(none->rows.columns(), ElementsAre("id", "b"));
}

TEST_F(MysqlConnectionTest, AStatementIsPreparedOnce) {
  for (int i = 0; i < 3; ++i) {
    EXPECT_THAT(cells("SELECT ? + 1", i), ElementsAre(std::to_string(i + 1)));
  }
  EXPECT_EQ(prepared_count(), 1U);
  EXPECT_THAT(server_->ask("SHOW GLOBAL STATUS LIKE 'Com_stmt_prepare'"), HasSubstr("\t1\n"));
}

TEST_F(MysqlConnectionTest, TheStatementNotUsedForLongestIsClosed) {
  make_driver(options(), {.statement_cache = 2});
  ASSERT_TRUE(connect());
  for (const char* const sql : {"SELECT 1", "SELECT 2", "SELECT 1", "SELECT 3", "SELECT 1"}) {
    EXPECT_EQ(cells(sql).size(), 1U);
  }
  EXPECT_THAT(server_->ask("SHOW GLOBAL STATUS LIKE 'Com_stmt_prepare'"), HasSubstr("\t3\n"));
  EXPECT_THAT(cells("SELECT 4"), ElementsAre("4"));
  EXPECT_EQ(prepared_count(), 2U);
  EXPECT_THAT(server_->ask("SHOW GLOBAL STATUS LIKE 'Prepared_stmt_count'"), HasSubstr("\t2\n"));
}

TEST_F(MysqlConnectionTest, ATableThatChangedIsSeenAsItIsNow) {
  ASSERT_TRUE(execute("CREATE TABLE c (a INT)"));
  ASSERT_TRUE(execute("INSERT INTO c VALUES (1)"));
  EXPECT_THAT(cells("SELECT * FROM c"), ElementsAre("1"));
  server_->ask("ALTER TABLE c MODIFY a VARCHAR(20)");
  EXPECT_THAT(cells("SELECT * FROM c"), ElementsAre("1"));
  server_->ask("UPDATE c SET a = 'x'");
  EXPECT_THAT(cells("SELECT * FROM c"), ElementsAre("x"));
  server_->ask("ALTER TABLE c ADD b INT DEFAULT 2");
  const auto wider = execute("SELECT * FROM c");
  // The library cannot take another number of columns; whoever comes next can.
  if (!wider) {
    EXPECT_EQ(connection_->state(), State::kBroken);
    ASSERT_TRUE(connect());
  }
  EXPECT_THAT(cells("SELECT * FROM c"), ElementsAre("x", "2"));
}

TEST_F(MysqlConnectionTest, AColumnThatWasRenamedHasItsNewName) {
  ASSERT_TRUE(execute("CREATE TABLE n (a INT, b INT)"));
  ASSERT_TRUE(execute("INSERT INTO n VALUES (1, 2)"));
  const auto names = [this] {
    const auto batch = execute("SELECT * FROM n");
    EXPECT_TRUE(batch) << batch.error().message();
    if (!batch) return std::vector<std::string>();
    return std::vector<std::string>(batch->rows.columns().begin(), batch->rows.columns().end());
  };
  EXPECT_THAT(names(), ElementsAre("a", "b"));
  server_->ask("ALTER TABLE n RENAME COLUMN a TO first");
  for (int i = 0; i < 3; ++i) EXPECT_THAT(names(), ElementsAre("first", "b")) << i;
  server_->ask("ALTER TABLE n RENAME COLUMN first TO b2, RENAME COLUMN b TO first");
  for (int i = 0; i < 3; ++i) EXPECT_THAT(names(), ElementsAre("b2", "first")) << i;
  EXPECT_THAT(cells("SELECT * FROM n"), ElementsAre("1", "2"));
  EXPECT_EQ(prepared_count(), 3U);
}

TEST_F(MysqlConnectionTest, ANulByteInATextIsRefused) {
  const std::string sql("SELECT 1\0, 2", 12);
  const auto refused = run(connection_->execute(Statement(sql), kAll));
  ASSERT_FALSE(refused);
  EXPECT_EQ(errc(refused.error()), Errc::kSyntax);
  EXPECT_THAT(refused.error().text(), HasSubstr("at byte 8"));
}

TEST_F(MysqlConnectionTest, AnIdThatNoInt64HoldsIsNone) {
  ASSERT_TRUE(execute("CREATE TABLE i (id BIGINT UNSIGNED AUTO_INCREMENT PRIMARY KEY, a INT)"));
  ASSERT_TRUE(execute("ALTER TABLE i AUTO_INCREMENT = 9223372036854775807"));
  for (const std::int64_t id : {std::numeric_limits<std::int64_t>::max(), std::int64_t{0}}) {
    const auto inserted = execute("INSERT INTO i (a) VALUES (1)");
    ASSERT_TRUE(inserted) << inserted.error().message();
    EXPECT_EQ(inserted->rows.last_insert_id(), id);
  }
}

TEST_F(MysqlConnectionTest, ALongResultLetsTheOthersHaveTheirTurn) {
  constexpr std::size_t kRows = 100'000;
  std::size_t turns = 0;
  bool done = false;
  const auto count = [](std::size_t& seen, const bool& end) -> Task<> {
    while (!end) {
      co_await net::yield();
      ++seen;
    }
  };
  net::spawn(*loop_, count(turns, done), &net::log_failure);
  const auto batch = execute("SELECT seq FROM seq_1_to_100000");
  done = true;
  loop_->run_until_idle();
  ASSERT_TRUE(batch);
  EXPECT_EQ(batch->rows.size(), kRows);
  EXPECT_GE(turns, kRows / MysqlConnection::kRowsPerTurn);
}

TEST_F(MysqlConnectionTest, LongValuesComeWhole) {
  const std::string text(1'000'000, 'x');
  EXPECT_THAT(cells("SELECT ?, 'short', REPEAT('y', 300), ?", text, text),
              ElementsAre(text, "short", std::string(300, 'y'), text));
  EXPECT_THAT(cells("SELECT ?, 'short', REPEAT('y', 300), ?", "a", "b"),
              ElementsAre("a", "short", std::string(300, 'y'), "b"));
}

TEST_F(MysqlConnectionTest, AResultComesInBatches) {
  const BatchLimits three{.rows_max = 3, .bytes_max = 4096};
  auto batch = run(connection_->execute(Statement("SELECT seq FROM seq_1_to_7"), three));
  std::vector<std::size_t> sizes;
  std::int64_t sum = 0;
  for (;;) {
    ASSERT_TRUE(batch) << batch.error().message();
    sizes.push_back(batch->rows.size());
    for (const Row row : batch->rows) sum += *row.get<std::int64_t>(0);
    EXPECT_EQ(connection_->state(), batch->more ? State::kDirty : State::kClean);
    if (!batch->more) break;
    batch = run(connection_->fetch(three));
  }
  EXPECT_THAT(sizes, ElementsAre(3, 3, 1));
  EXPECT_EQ(sum, 28);
  // Exactly a batch: there is no more.
  batch = run(connection_->execute(Statement("SELECT seq FROM seq_1_to_3"), three));
  ASSERT_TRUE(batch);
  EXPECT_FALSE(batch->more);
}

TEST_F(MysqlConnectionTest, ALargeResultIsNotKeptInMemory) {
  const BatchLimits limits{.rows_max = 1000, .bytes_max = 64U << 10U};
  auto batch = run(
      connection_->execute(Statement("SELECT seq, REPEAT('x', 100) FROM seq_1_to_100000"), limits));
  std::size_t rows = 0;
  for (;;) {
    ASSERT_TRUE(batch) << batch.error().message();
    ASSERT_LE(batch->rows.byte_count(), limits.bytes_max);
    rows += batch->rows.size();
    if (!batch->more) break;
    batch = run(connection_->fetch(limits));
  }
  EXPECT_EQ(rows, 100'000U);
}

TEST_F(MysqlConnectionTest, TheNextStatementSeesNoRowOfTheLast) {
  const BatchLimits one{.rows_max = 1, .bytes_max = 4096};
  const auto first = run(connection_->execute(Statement("SELECT seq FROM seq_1_to_1000"), one));
  ASSERT_TRUE(first);
  EXPECT_TRUE(first->more);
  EXPECT_THAT(cells("SELECT 'new'"), ElementsAre("new"));
  EXPECT_EQ(connection_->state(), State::kClean);
}

TEST_F(MysqlConnectionTest, AShortRestIsReadAwayAndALongOneCostsTheSession) {
  const BatchLimits one{.rows_max = 1, .bytes_max = 4096};
  constexpr auto kDropped = static_cast<int>(MysqlConnection::kRowsDropped);
  const auto begin = [&](int rows) {
    const auto sql = "SELECT seq FROM seq_1_to_" + std::to_string(rows);
    const auto first = run(connection_->execute(Statement(sql), one));
    ASSERT_TRUE(first) << first.error().message();
    EXPECT_TRUE(first->more);
  };
  // Two of them have been read: one was given, and one has told that there is more.
  for (const int rows : {kDropped, kDropped + 1}) {
    begin(rows);
    EXPECT_THAT(cells("SELECT 'new'"), ElementsAre("new")) << rows;
  }
  begin(kDropped + 2);
  const auto next = execute("SELECT 'new'");
  ASSERT_FALSE(next);
  EXPECT_EQ(errc(next.error()), Errc::kConnectionLost);
  EXPECT_EQ(connection_->state(), State::kBroken);
  ASSERT_TRUE(connect());
  // Few rows and many bytes.
  ASSERT_TRUE(
      run(connection_->execute(Statement("SELECT REPEAT('x', 2000) FROM seq_1_to_1000"), one)));
  EXPECT_EQ(errc(execute("SELECT 'new'").error()), Errc::kConnectionLost);
}

TEST_F(MysqlConnectionTest, TheOtherResultsOfAProcedureAreNotReadWithoutEnd) {
  ASSERT_TRUE(execute(
      "CREATE PROCEDURE long_one() BEGIN SELECT 1 AS a; SELECT seq FROM seq_1_to_100000; END"));
  const auto called = execute("CALL long_one()");
  ASSERT_FALSE(called);
  EXPECT_EQ(errc(called.error()), Errc::kConnectionLost);
  EXPECT_EQ(connection_->state(), State::kBroken);
}

TEST_F(MysqlConnectionTest, ARowThatIsTooLargeComesAfterTheRowsBeforeIt) {
  const BatchLimits limits{.rows_max = 10, .bytes_max = 1000};
  auto batch = run(connection_->execute(
      Statement("SELECT REPEAT('x', IF(seq = 3, 2000, 10)) FROM seq_1_to_5"), limits));
  ASSERT_TRUE(batch) << batch.error().message();
  EXPECT_EQ(batch->rows.size(), 2U);
  EXPECT_TRUE(batch->more);
  for (int i = 0; i < 2; ++i) {  // and it is not passed over
    batch = run(connection_->fetch(limits));
    ASSERT_FALSE(batch);
    EXPECT_EQ(errc(batch.error()), Errc::kResultTooLarge);
  }
  ASSERT_TRUE(run(connection_->reset()));
}

TEST_F(MysqlConnectionTest, ARowThatIsLargerThanAPacketCostsTheSession) {
  make_driver(options(), {.bytes_max = 4096, .statement_bytes_max = 1024});
  ASSERT_TRUE(connect());
  const BatchLimits limits{.rows_max = 10, .bytes_max = 4096};
  const auto batch = run(connection_->execute(Statement("SELECT REPEAT('x', 1000000)"), limits));
  ASSERT_FALSE(batch);
  EXPECT_EQ(errc(batch.error()), Errc::kConnectionLost) << batch.error().message();
  EXPECT_EQ(connection_->state(), State::kBroken);
}

TEST_F(MysqlConnectionTest, WithoutADatabaseAChangedSessionIsNotReset) {
  MysqlOptions none = options();
  none.database.clear();
  make_driver(none);
  ASSERT_TRUE(connect());
  ASSERT_TRUE(execute("USE mysql"));
  EXPECT_EQ(connection_->state(), State::kDirty);
  EXPECT_FALSE(run(connection_->reset()));
  ASSERT_TRUE(connect());
  ASSERT_TRUE(execute("START TRANSACTION"));
  EXPECT_TRUE(run(connection_->reset()));
  EXPECT_EQ(connection_->state(), State::kClean);
}

TEST_F(MysqlConnectionTest, ALossBetweenTwoRowsIsALoss) {
  const BatchLimits one{.rows_max = 1, .bytes_max = 4096};
  const auto first = run(
      connection_->execute(Statement("SELECT seq, REPEAT('x', 1000) FROM seq_1_to_100000"), one));
  ASSERT_TRUE(first);
  server_->kill();
  const auto rest = run(connection_->fetch(kAll));
  ASSERT_FALSE(rest);
  EXPECT_EQ(errc(rest.error()), Errc::kConnectionLost) << rest.error().message();
}

TEST_F(MysqlConnectionTest, ARowThatIsTooLargeIsAnError) {
  const BatchLimits limits{.rows_max = 10, .bytes_max = 1000};
  for (const int size : {900, 968, 984}) {
    const auto batch = run(connection_->execute(Statement("SELECT REPEAT('x', ?)", size), limits));
    ASSERT_TRUE(batch) << size << batch.error().message();
    EXPECT_EQ(batch->rows[0][0].text().size(), static_cast<std::size_t>(size));
  }
  const auto large = run(connection_->execute(Statement("SELECT REPEAT('x', ?)", 985), limits));
  ASSERT_FALSE(large);
  EXPECT_EQ(errc(large.error()), Errc::kResultTooLarge);
  ASSERT_TRUE(run(connection_->reset()));
  EXPECT_THAT(cells("SELECT 1"), ElementsAre("1"));
}

TEST_F(MysqlConnectionTest, ErrorsOfTheServerLeaveTheSessionUsable) {
  ASSERT_TRUE(execute("CREATE TABLE e (a INT PRIMARY KEY, b INT NOT NULL, CHECK (b > 0))"));
  ASSERT_TRUE(execute("INSERT INTO e VALUES (1, 1)"));
  const struct {
    const char* sql;
    Errc errc;
    int number;
  } cases[] = {
      {"SELEC 1", Errc::kSyntax, 1064},
      {"SELECT nowhere FROM e", Errc::kSyntax, 1054},
      {"SELECT * FROM nowhere", Errc::kSyntax, 1146},
      {"INSERT INTO e VALUES (1, 2)", Errc::kConstraint, 1062},
      {"INSERT INTO e VALUES (2, NULL)", Errc::kConstraint, 1048},
      {"INSERT INTO e VALUES (2, -1)", Errc::kConstraint, 4025},
      {"", Errc::kSyntax, 1065},
      {"SET SESSION nonsense = 1", Errc::kSyntax, 1193},
      {"SELECT 1; SELECT 2", Errc::kUnsupported, 1064},
      {"INSERT INTO e VALUES (5, 5); DROP TABLE e", Errc::kUnsupported, 1064},
  };
  for (const auto& [sql, code, number] : cases) {
    const auto batch = execute(sql);
    ASSERT_FALSE(batch) << sql;
    EXPECT_EQ(errc(batch.error()), code) << batch.error().message();
    EXPECT_EQ(batch.error().vendor_code(), number) << batch.error().message();
    EXPECT_EQ(connection_->state(), State::kClean) << sql;
  }
  const auto few = execute("SELECT ?, ?", 1);
  ASSERT_FALSE(few);
  EXPECT_EQ(errc(few.error()), Errc::kParameterCount);
  EXPECT_THAT(cells("SELECT COUNT(*) FROM e"), ElementsAre("1"));
}

TEST_F(MysqlConnectionTest, AParameterIsNeverAPartOfTheText) {
  ASSERT_TRUE(execute("CREATE TABLE p (a TEXT)"));
  const std::string injection = "'); DROP TABLE p; -- \\' \" ` \0 /*!50000 x */";
  ASSERT_TRUE(execute("INSERT INTO p VALUES (?)", injection));
  EXPECT_THAT(cells("SELECT a FROM p WHERE a = ?", injection), ElementsAre(injection));
}

TEST_F(MysqlConnectionTest, AProcedureGivesItsFirstResult) {
  ASSERT_TRUE(execute("CREATE PROCEDURE two() BEGIN SELECT 1 AS a; SELECT 'x', 'y'; END"));
  for (int i = 0; i < 2; ++i) {
    EXPECT_THAT(cells("CALL two()"), ElementsAre("1"));
    EXPECT_THAT(cells("SELECT 'after'"), ElementsAre("after"));
  }
}

TEST_F(MysqlConnectionTest, ResetRollsBackAndForgets) {
  ASSERT_TRUE(execute("CREATE TABLE r (a INT) ENGINE=InnoDB"));
  ASSERT_TRUE(execute("START TRANSACTION"));
  EXPECT_EQ(connection_->state(), State::kDirty);
  ASSERT_TRUE(execute("INSERT INTO r VALUES (1)"));
  ASSERT_TRUE(run(connection_->reset()));
  EXPECT_EQ(connection_->state(), State::kClean);
  EXPECT_THAT(cells("SELECT COUNT(*) FROM r"), ElementsAre("0"));

  ASSERT_TRUE(execute("START TRANSACTION"));
  ASSERT_TRUE(execute("INSERT INTO r VALUES (2)"));
  ASSERT_TRUE(execute("COMMIT"));
  EXPECT_EQ(connection_->state(), State::kClean);
  EXPECT_THAT(cells("SELECT a FROM r"), ElementsAre("2"));
}

TEST_F(MysqlConnectionTest, WhatSomebodyDoesToTheSessionMakesItDirty) {
  ASSERT_TRUE(execute("CREATE TABLE s (a INT)"));
  EXPECT_EQ(connection_->state(), State::kClean);
  for (const char* const sql :
       {"SET @left = 1", "SET SESSION sql_mode = 'ANSI_QUOTES'", "SET NAMES latin1", "USE mysql",
        "CREATE TEMPORARY TABLE mine (a INT)", "SET autocommit = 0", "SELECT GET_LOCK('mine', 0)",
        "EXECUTE IMMEDIATE 'USE mysql'", "DO GET_LOCK('mine', 0)", "SELECT @left := 1",
        "LOCK TABLES s READ", "HANDLER s OPEN"}) {
    ASSERT_TRUE(execute(sql)) << sql;
    EXPECT_EQ(connection_->state(), State::kDirty) << sql;
    const auto reset = run(connection_->reset());
    ASSERT_TRUE(reset) << reset.error().message();
    EXPECT_EQ(connection_->state(), State::kClean) << sql;
  }
  EXPECT_EQ(server_->ask("SELECT IS_FREE_LOCK('mine')"), "1\n");
  server_->ask("INSERT INTO s VALUES (1)");  // no lock of a table is left
  EXPECT_THAT(
      cells("SELECT @left, @@sql_mode LIKE '%ANSI_QUOTES%', @@character_set_client, @@autocommit"),
      ElementsAre("null", "0", "utf8mb4", "1"));
  const auto mine = execute("SELECT * FROM mine");
  ASSERT_FALSE(mine);
  EXPECT_EQ(errc(mine.error()), Errc::kSyntax);
}

TEST_F(MysqlConnectionTest, AnEndlessRestIsNotReadByReset) {
  const BatchLimits one{.rows_max = 1, .bytes_max = 4096};
  const auto first = run(
      connection_->execute(Statement("SELECT seq, REPEAT('x', 1000) FROM seq_1_to_1000000"), one));
  ASSERT_TRUE(first);
  const auto reset = run(connection_->reset());
  ASSERT_FALSE(reset);
  EXPECT_EQ(connection_->state(), State::kBroken);
  ASSERT_TRUE(connect());
  EXPECT_TRUE(eventually([this] { return running_statements() == 0; }));
}

}  // namespace
}  // namespace ssx::db::mysql
