// A real database with a table to attack, one that nobody may reach, and one with odd names.
//
// Thread: one; SQLite has its task threads, MariaDB its own process
// Owner:  the test
// Life:   one test; a server of MariaDB lives as long as the test program
// Bounds: a few rows
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ssxrver/db/database.h"
#include "ssxrver/db/schema_reader.h"
#include "ssxrver/db/sqlite/sqlite_driver.h"
#include "ssxrver/db/statement_builder.h"
#include "ssxrver/net/event_loop.h"
#include "ssxrver/net/spawn.h"
#include "ssxrver/net/task_pool.h"
#include "tests/db/statement_fixture.h"
#include "tests/support/temp_dir.h"

#ifdef SSX_HAVE_MYSQL
#include "ssxrver/db/mysql/mysql_driver.h"
#include "tests/support/mariadb_server.h"
#include "tests/support/peer.h"
#endif

namespace ssx::db {

/// A kind of database, and how it is set up.
struct ArenaKind {
  const char* name;
  const char* sql_mode = nullptr;  ///< of MariaDB; null: SQLite
  const char* charset = "utf8mb4";
};
inline void PrintTo(const ArenaKind& kind, std::ostream* out) { *out << kind.name; }

inline constexpr ArenaKind kSqlite{.name = "Sqlite"};
inline constexpr ArenaKind kMariadb{.name = "Mariadb", .sql_mode = "STRICT_ALL_TABLES"};
inline constexpr ArenaKind kNoBackslashes{.name = "MariadbNoBackslashEscapes",
                                          .sql_mode = "STRICT_ALL_TABLES,NO_BACKSLASH_ESCAPES"};
inline constexpr ArenaKind kAnsiQuotes{.name = "MariadbAnsiQuotes",
                                       .sql_mode = "STRICT_ALL_TABLES,ANSI_QUOTES,PIPES_AS_CONCAT"};
inline constexpr ArenaKind kGbk{
    .name = "MariadbGbk", .sql_mode = "STRICT_ALL_TABLES", .charset = "gbk"};

class Arena {
 public:
  Arena() = default;
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;
  ~Arena() {
    loop_->stop();
    loop_->run();
    database_.reset();
    tasks_->stop(net::TaskPool::Pending::kRun);
  }

  /// The database with its tables; false, and a failed check, where it is not had.
  bool open(const ArenaKind& kind) {
    database_ = kind.sql_mode == nullptr ? open_sqlite() : open_mariadb(kind);
    return database_ != nullptr && fill(kind.sql_mode != nullptr);
  }

  template <class T>
  T run(Task<T> task) {
    std::optional<T> result;
    const auto keep = [](Task<T> inner, std::optional<T>& to) -> Task<> {
      to.emplace(co_await std::move(inner));
    };
    net::spawn(*loop_, keep(std::move(task), result), &net::log_failure);
    loop_->run_until([&result] { return result.has_value(); });
    return *std::move(result);
  }
  Result<Rows> query(Statement statement) { return run(database_->query(std::move(statement))); }
  template <class... Ts>
  Result<Rows> query(std::string_view sql, const Ts&... values) {
    return query(Statement(sql, values...));
  }

  /// The first column of all rows as numbers.
  std::vector<std::int64_t> ids(Statement statement) {
    const auto rows = query(std::move(statement));
    EXPECT_TRUE(rows) << rows.error().message();
    std::vector<std::int64_t> all;
    if (!rows) return all;
    for (const Row row : *rows) all.push_back(row.get<std::int64_t>(0).value_or(-1));
    return all;
  }
  /// Every cell of the tables, to compare with later.
  std::string everything() {
    std::string all;
    for (const auto* table : {"thing", "secret"}) {
      const auto rows = query("SELECT * FROM " + std::string(table) + " ORDER BY id");
      EXPECT_TRUE(rows) << rows.error().message();
      if (rows) append(all += "\n" + std::string(table), *rows);
    }
    return all;
  }
  static void append(std::string& text, const Rows& rows) {
    for (const Row row : rows) {
      text += '\n';
      for (std::size_t i = 0; i < row.size(); ++i) text += shown(row[i]) + "|";
    }
  }
  static std::string shown(const ValueView& value) {
    switch (value.type()) {
      case Type::kNull:
        return "null";
      case Type::kInt64:
        return std::to_string(value.int64());
      case Type::kUint64:
        return std::to_string(value.uint64());
      case Type::kDouble:
        return std::to_string(value.real());
      case Type::kText:
      case Type::kBytes:
        return std::string(value.text());
    }
    return {};
  }

  [[nodiscard]] Database& database() { return *database_; }
  /// For the tables that a service would open to requests.
  StatementBuilder builder() {
    auto schema = run(read_schema(*database_, {"thing", odd_table()}));
    EXPECT_TRUE(schema) << schema.error().message();
    auto made = StatementBuilder::create(*std::move(schema), database_->dialect());
    SSX_ASSERT(made.has_value());
    return *std::move(made);
  }
  static std::string odd_table() { return "odd \"`'table?"; }

 private:
  std::unique_ptr<Database> open_sqlite() {
    auto driver = SqliteDriver::create(*tasks_, {}, {});
    EXPECT_TRUE(driver);
    return driver ? std::make_unique<Database>(*std::move(driver), PoolOptions()) : nullptr;
  }
  std::unique_ptr<Database> open_mariadb(const ArenaKind& kind);

  bool fill(bool is_mariadb) {
    const std::string text =
        is_mariadb ? "VARCHAR(4000) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin" : "TEXT";
    const std::string quote(1, database_->dialect().identifier_quote);
    const auto quoted = [&quote](std::string_view name) {
      std::string all = quote;
      for (const char c : name) all += c == quote[0] ? quote + quote : std::string(1, c);
      return all + quote;
    };
    std::vector<std::string> setup = {
        "DROP TABLE IF EXISTS thing",
        "DROP TABLE IF EXISTS secret",
        "DROP TABLE IF EXISTS " + quoted(odd_table()),
        "CREATE TABLE thing (id BIGINT PRIMARY KEY, name " + text +
            ", size DOUBLE, price DECIMAL(20, 4), raw BLOB)",
        "CREATE TABLE secret (id BIGINT PRIMARY KEY, word " + text + ")",
        "CREATE TABLE " + quoted(odd_table()) + " (" + quoted("a\"b`c'd") +
            " BIGINT PRIMARY KEY, " + quoted("?") + " " + text + ", " + quoted("select") + " " +
            text + ", " + quoted("x' OR '1'='1") + " BIGINT)",
        "INSERT INTO thing (id, name, size, price, raw) VALUES (1, 'a', 0.5, 1.25, NULL), "
        "(2, 'b', 1.5, NULL, X'72'), (3, 'ab', NULL, 3, NULL), (4, NULL, 2.5, 4, NULL), "
        "(5, 'b%', 2.5, 5, NULL)",
        "INSERT INTO secret (id, word) VALUES (1, 'open sesame')",
    };
    for (const std::string& sql : setup) {
      const auto end = query(sql);
      EXPECT_TRUE(end) << sql << ": " << end.error().message();
      if (!end) return false;
    }
    return true;
  }

  std::unique_ptr<net::TaskPool> tasks_ = *net::TaskPool::start({.threads = 1});
  std::unique_ptr<net::EventLoop> loop_ = *net::EventLoop::create();
  std::unique_ptr<Database> database_;
};

#ifdef SSX_HAVE_MYSQL

/// One for the whole program.
inline const test::MariadbServer* mariadb_server() {
  static test::MariadbServer server;
  static const bool started = server.start();
  return started ? &server : nullptr;
}

inline std::unique_ptr<Database> Arena::open_mariadb(const ArenaKind& kind) {
  const test::MariadbServer* server = mariadb_server();
  if (server == nullptr) return nullptr;
  (void)server->ask("SET GLOBAL sql_mode = '" + std::string(kind.sql_mode) + "'");
  const MysqlOptions options{.unix_socket = server->socket(),
                             .user = test::MariadbServer::user(),
                             .password = server->password(),
                             .database = test::MariadbServer::database(),
                             .charset = kind.charset};
  auto driver = mysql::MysqlDriver::create(options, {}, nullptr);
  EXPECT_TRUE(driver) << driver.error().message();
  return driver ? std::make_unique<Database>(*std::move(driver), PoolOptions()) : nullptr;
}

#else

inline std::unique_ptr<Database> Arena::open_mariadb(const ArenaKind&) { return nullptr; }

#endif

}  // namespace ssx::db
