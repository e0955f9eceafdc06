#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "ssxrver/config/tables.h"
#include "ssxrver/db/database_name.h"
#include "tests/support/temp_dir.h"

namespace ssx::config {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Key;
using ::testing::Not;
using Driver = DatabaseOptions::Driver;

ServerConfig load(const std::string& text) {
  auto config = ServerConfig::parse(text, {}, "t");
  EXPECT_TRUE(config) << (config ? "" : config.error().text());
  return config ? *std::move(config) : ServerConfig();
}

std::vector<std::string> problems(const std::string& text) {
  const auto config = ServerConfig::parse(text, {}, "t");
  return config ? std::vector<std::string>() : config.error().sentences();
}

/// The text of a file with `count` databases, and `more` beside them.
std::string many(std::size_t count, const std::string& more) {
  std::string text = R"({"databases": {)";
  for (std::size_t i = 0; i < count; ++i) {
    text += (i > 0 ? ", \"d" : "\"d") + std::to_string(i) + R"(": {"driver": "mysql"})";
  }
  return text + "}" + more + "}";
}

TEST(DatabaseTables, ReadAFile) {
  const auto config = load(R"({"task_processes": 2, "databases": {
    "notes": {"driver": "sqlite", "file": "var/notes.db", "busy_timeout": "2s", "pool_max": 4,
              "statement_cache": 16}}})");
  const DatabaseOptions& notes = config.databases.at("notes");
  EXPECT_EQ(notes.driver, Driver::kSqlite);
  EXPECT_EQ(notes.sqlite, (db::SqliteOptions{"var/notes.db", 2s}));
  db::PoolOptions pool;
  pool.pool_max = 4;
  pool.statement_cache = 16;
  EXPECT_EQ(notes.pool, pool);
}

TEST(DatabaseTables, ReadAServer) {
  const auto config = load(R"({"databases": {"shop": {
    "driver": "mysql", "address": "db.example", "port": 3307, "unix_socket": "/run/m",
    "user": "web", "password": "pw", "database_name": "shop", "charset": "latin1",
    "client_flag": 2, "pool_min": 1, "pool_max": 2, "waiters_max": 3, "acquire_timeout": "4s",
    "connect_timeout": "5s", "query_timeout": "6s", "idle_timeout": "7s", "max_lifetime": "8s",
    "ping_after": "9s", "statement_cache": 10, "rows_max": 11, "bytes_max": "12k",
    "statement_bytes_max": "13k", "on_unavailable": "fail"}}})");
  const DatabaseOptions& shop = config.databases.at("shop");
  EXPECT_EQ(shop.driver, Driver::kMysql);
  EXPECT_EQ(shop.login(),
            (db::MysqlOptions{"db.example", 3307, "/run/m", "web", "pw", "shop", "latin1", 2}));
  EXPECT_EQ(shop.server.password, "");  // in one place only
  EXPECT_EQ(shop.pool, (db::PoolOptions{1, 2, 3, 4s, 5s, 6s, 7s, 8s, 9s, 10, 11, 12 << 10, 13 << 10,
                                        db::OnUnavailable::kFail}));
  EXPECT_THAT(config.warnings, IsEmpty());
}

TEST(DatabaseTables, TheObjectOf2021IsTheDatabaseMysql) {
  const char* const text = R"({"mysql": {"mysql_started": "on", "address": "10.0.0.1",
    "user": "root", "password": "123456", "database_name": "ttms", "port": 0, "unix_socket": null,
    "client_flag": 0, "pool_max": 3}, "databases": {"shop": {"driver": "mysql"}}})";
  const auto opened = load(text).opened_databases();
  EXPECT_THAT(opened, ElementsAre(Key("mysql"), Key("shop")));
  const DatabaseOptions& mysql = opened.at("mysql");
  EXPECT_EQ(mysql.driver, Driver::kMysql);
  db::MysqlOptions login;
  login.address = "10.0.0.1";
  login.password = "123456";
  login.database = "ttms";
  EXPECT_EQ(mysql.login(), login);
  EXPECT_EQ(mysql.pool.pool_max, 3U);
  EXPECT_EQ(opened.at("shop").pool, db::PoolOptions());  // nothing is inherited
}

TEST(DatabaseTables, HardenedDatabasesWaitLess) {
  const auto config = load(
      R"({"profile": "hardened", "databases": {"a": {"driver": "mysql", "query_timeout": "9s"}}})");
  EXPECT_EQ(config.databases.at("a").pool.acquire_timeout, 250ms);
  EXPECT_EQ(config.databases.at("a").pool.query_timeout, 9s);
}

TEST(DatabaseTables, RefuseWhatCannotBe) {
  EXPECT_THAT(
      problems(R"({"task_processes": 1, "databases": {
"a": {}, "b": {"driver": "oracle"}, "c": {"driver": "sqlite", "address": "x"},
"d": {"driver": "mysql", "file": "x"}, "e": {"driver": "mysql", "pool_min": 9},
"f": {"driver": "sqlite", "file": ":memory:"}, "g": {"driver": "sqlite", "file": "file:x"},
"h": {"driver": "mysql", "charset": "utf8; drop"}, "two words": {"driver": "sqlite"},
"i": {"driver": "sqlite", "pool_size": 1}}})"),
      ElementsAre(
          "t:2:6: /databases/a: a database needs the key \"driver\": \"sqlite\" or \"mysql\"",
          "t:2:26: /databases/b/driver: expected \"sqlite\" or \"mysql\", found \"oracle\"",
          "t:2:74: /databases/c/address: belongs to the driver \"mysql\"",
          "t:3:34: /databases/d/file: belongs to the driver \"sqlite\"",
          "t:3:77: /databases/e/pool_min: 9 is more than \"pool_max\", 8",
          HasSubstr("t:4:35: /databases/f/file: expected a path; \"\" is a database in memory"),
          HasSubstr("/databases/g/file: expected a path"),
          HasSubstr("/databases/h/charset: expected a charset such as \"utf8mb4\""),
          HasSubstr("/databases/two words: expected a name such as \"main\""),
          HasSubstr("/databases/i/pool_size: unknown key; did you mean")));
}

TEST(DatabaseTables, PoolMinIsAtMostPoolMax) {
  const auto with = [](int pool_min) {
    return problems(R"({"mysql": {"pool_max": 5, "pool_min": )" + std::to_string(pool_min) + "}}");
  };
  EXPECT_THAT(with(4), IsEmpty());
  EXPECT_THAT(with(5), IsEmpty());
  EXPECT_THAT(with(6), ElementsAre(HasSubstr("/mysql/pool_min: 6 is more than \"pool_max\", 5")));
}

TEST(DatabaseTables, AFileNeedsTaskThreads) {
  const std::string file = R"("databases": {"a": {"driver": "sqlite"}}})";
  EXPECT_THAT(problems("{" + file), ElementsAre("t:1:32: /databases/a/driver: works on task "
                                                "threads, and there is none: \"task_processes\" "
                                                "is 0"));
  EXPECT_THAT(problems(R"({"task_processes": 1, )" + file), IsEmpty());
  EXPECT_THAT(problems(R"({"tasks": {"overflow": "run_on_loop"}, )" + file), IsEmpty());
}

TEST(DatabaseTables, TheNameMysqlIsThereOnce) {
  const std::string both = R"("databases": {"mysql": {"driver": "mysql"}}})";
  EXPECT_THAT(problems("{" + both), IsEmpty());
  EXPECT_THAT(problems(R"({"mysql": {"mysql_started": "on"}, )" + both),
              ElementsAre(HasSubstr("/databases/mysql: \"mysql\" is there already")));
}

TEST(DatabaseTables, HoldAsManyAsMayBe) {
  const std::string started = R"(, "mysql": {"mysql_started": "on"})";
  EXPECT_THAT(problems(many(db::kDatabasesMax, "")), IsEmpty());
  EXPECT_THAT(problems(many(db::kDatabasesMax + 1, "")),
              ElementsAre(HasSubstr("/databases: expected at most 64 entries")));
  EXPECT_THAT(problems(many(db::kDatabasesMax - 1, started)), IsEmpty());
  EXPECT_THAT(problems(many(db::kDatabasesMax, started)),
              ElementsAre(HasSubstr("/databases: with \"mysql\" there are more than 64")));
}

TEST(DatabaseTables, WarnOfFlagsThatStayOff) {
  const auto config = load(R"({"mysql": {"client_flag": 65666}})");  // 1 << 16, 1 << 7, 1 << 1
  EXPECT_THAT(config.warnings,
              ElementsAre("t:1:27: /mysql/client_flag: not used, and never switched on: "
                          "CLIENT_LOCAL_FILES, CLIENT_MULTI_STATEMENTS"));
  EXPECT_EQ(config.mysql.server.client_flag, 65666U);  // the driver takes them out
}

TEST(DatabaseTables, MaskThePasswordOfEachDatabase) {
  const test::TempDir folder;
  const auto path = folder.write("pw", "hidden\n");
  ::chmod(path.c_str(), 0600);
  const auto config = load(R"({"databases": {"a": {"driver": "mysql", "password": "open"},
    "b": {"driver": "mysql", "password_file": ")" +
                           path + R"("}, "c": {"driver": "mysql"}}})");
  EXPECT_EQ(config.databases.at("a").login().password, "open");
  EXPECT_EQ(config.databases.at("b").login().password, "hidden");
  const std::string printed = config.to_json();
  EXPECT_THAT(printed, Not(HasSubstr("\"open\"")));
  EXPECT_THAT(printed, Not(HasSubstr("hidden")));
  EXPECT_THAT(printed, HasSubstr("\"password\": \"********\""));
  EXPECT_THAT(printed, HasSubstr("\"file\": \"" + path + "\""));
  EXPECT_EQ(load(config.to_json(ServerConfig::Secrets::kShown)), config);
}

TEST(DatabaseTables, TakeOnePassword) {
  const test::TempDir folder;
  const auto path = folder.write("pw", "hidden");
  ::chmod(path.c_str(), 0600);
  const auto with = [&path](const std::string& password) {
    return problems(R"({"mysql": {"password_file": ")" + path + R"(", "password": )" + password +
                    "}}");
  };
  EXPECT_THAT(with("\"\""), IsEmpty());
  EXPECT_THAT(with("\"pw\""),
              ElementsAre(HasSubstr("/mysql/password_file: there is a \"password\" already")));
  EXPECT_EQ(load(R"({"mysql": {"password_file": ""}})"), load("{}"));
}

TEST(DatabaseTables, MakePathsAbsolute) {
  auto config = load(R"({"task_processes": 1, "mysql": {"unix_socket": "run/m"}, "databases": {
    "a": {"driver": "sqlite", "file": "a.db"}, "b": {"driver": "sqlite"},
    "c": {"driver": "mysql", "unix_socket": "s"}}})");
  config.make_paths_absolute("/srv");
  EXPECT_EQ(config.mysql.server.unix_socket, "/srv/run/m");
  EXPECT_EQ(config.databases.at("a").sqlite.file, "/srv/a.db");
  EXPECT_EQ(config.databases.at("b").sqlite.file, "");
  EXPECT_EQ(config.databases.at("c").server.unix_socket, "/srv/s");
}

}  // namespace
}  // namespace ssx::config
