#include <fmt/format.h>

#include <memory>

#include "ssxrver/config/kinds.h"
#include "ssxrver/config/special_kinds.h"
#include "ssxrver/config/tables.h"
#include "ssxrver/db/database_name.h"
#include "ssxrver/db/mysql_client_flag.h"

namespace ssx::config {
namespace {

using namespace std::chrono_literals;
using db::PoolOptions;
using Driver = DatabaseOptions::Driver;

constexpr std::size_t kLoginMax = 255;  // of a host, a user, a database: more than MySQL knows
constexpr Time kWait{.min = 1ms, .max = 1h, .has_off = false};

const char* object_to_database_name(const std::string& text) {
  return db::is_database_name(text)
             ? nullptr
             : "a name such as \"main\": letters, digits, \"_\" and \"-\", at most 64";
}

// Each connection of ":memory:" would have a database of its own.
const char* object_to_sqlite_file(const std::string& text) {
  const bool is_other = text.starts_with(':') || text.starts_with("file:");
  return is_other ? "a path; \"\" is a database in memory" : nullptr;
}

const char* object_to_charset(const std::string& text) {
  const bool is_word = !text.empty() && text.find_first_not_of(
                                            "abcdefghijklmnopqrstuvwxyz"
                                            "0123456789_") == std::string::npos;
  return is_word ? nullptr : "a charset such as \"utf8mb4\"";
}

void add_connection_keys(Table<PoolOptions>& table) {
  const auto live = Reload::kLive;
  const auto restart = Reload::kRestart;
  table.key("pool_min", &PoolOptions::pool_min, Whole{{0, 1024}}, live,
            "connections kept, also when nobody uses them; at most `pool_max`");
  table.key("pool_max", &PoolOptions::pool_max, Whole{{1, 1024}}, live,
            "connections of all threads together");
  table.key("waiters_max", &PoolOptions::waiters_max, Whole{{0, 1 << 20}}, live,
            "who may wait for a connection; who comes then is told at once");
  table
      .key("acquire_timeout", &PoolOptions::acquire_timeout, kWait, live,
           "how long to wait for a connection")
      .hardened(250ms);
  table
      .key("connect_timeout", &PoolOptions::connect_timeout, kWait, live,
           "how long making one may take")
      .hardened(1s);
  table.key("idle_timeout", &PoolOptions::idle_timeout, Time{}, live,
            "an unused connection is closed; 0 = never");
  table.key("max_lifetime", &PoolOptions::max_lifetime, Time{}, live,
            "an old connection is replaced; 0 = never");
  table.key("ping_after", &PoolOptions::ping_after, Time{}, live,
            "a connection that was unused for so long is asked whether it lives; 0 = always");
  table.key("on_unavailable", &PoolOptions::on_unavailable,
            Choice<db::OnUnavailable>{
                {{"retry", db::OnUnavailable::kRetry}, {"fail", db::OnUnavailable::kFail}}},
            restart,
            "without a server: start, and let handlers wait for it; or do not start, and tell them "
            "at once");
}

void add_query_keys(Table<PoolOptions>& table) {
  const auto live = Reload::kLive;
  table
      .key("query_timeout", &PoolOptions::query_timeout, Time{}, live,
           "of one query, or one batch of a stream; 0 = off")
      .hardened(2s);
  table.key("statement_cache", &PoolOptions::statement_cache, Whole{{0, 4096}}, live,
            "prepared statements kept per connection");
  table.key("rows_max", &PoolOptions::rows_max, Whole{{1, 4294967295}}, live,
            "rows of one query; more are an error, or a stream");
  table.key("bytes_max", &PoolOptions::bytes_max, Size{{4 << 10, 1 << 30}}, live,
            "of all rows of one query");
  table.key("statement_bytes_max", &PoolOptions::statement_bytes_max, Size{{1 << 10, 1 << 30}},
            live, "of a statement with its parameters");
}

Table<PoolOptions> pool_keys() {
  Table<PoolOptions> table;
  add_connection_keys(table);
  add_query_keys(table);
  return table;
}

/// Those of 2021 first, in its order.
Table<DatabaseOptions> server_keys() {
  const auto restart = Reload::kRestart;
  const auto server = [](auto member) { return in(&DatabaseOptions::server, member); };
  const Text name{.length_max = kLoginMax, .what = "a name"};
  Table<DatabaseOptions> table;
  table.key("address", server(&db::MysqlOptions::address),
            Text{.length_max = kLoginMax, .what = "an address"}, restart,
            "of the server: an IP address, or a name");
  table.key("user", server(&db::MysqlOptions::user), name, restart, "as MySQL knows it");
  table.key("password", &DatabaseOptions::password, SecretText{}, restart, "-T prints it masked");
  table.key("database_name", server(&db::MysqlOptions::database), name, restart,
            "as MySQL knows it; empty = none is chosen");
  table.key("port", server(&db::MysqlOptions::port), Whole{{0, 65535}}, restart, "0 = 3306");
  table.key("unix_socket", server(&db::MysqlOptions::unix_socket), MaybePath{}, restart,
            "in place of TCP");
  table.key("client_flag", server(&db::MysqlOptions::client_flag), Whole{{0, 4294967295}}, restart,
            "flags of the C API; local files and several statements in one text stay off");
  table.key("charset", server(&db::MysqlOptions::charset),
            Text{.length_max = 64, .what = "a charset", .objection = object_to_charset}, restart,
            "of texts in both directions");
  table.key("password_file", &DatabaseOptions::password, SecretFile{}, restart,
            "the same as `password`: {\"file\": ...}");
  table.later(R"({"tls": "off"})");
  return table;
}

Table<db::SqliteOptions> file_keys() {
  Table<db::SqliteOptions> table;
  table.key("file", &db::SqliteOptions::file,
            Text{.what = "a path", .objection = object_to_sqlite_file}, Reload::kRestart,
            "made when it is not there; empty = in memory, and gone with the process");
  table.key("busy_timeout", &db::SqliteOptions::busy_timeout, Time{.max = 1h}, Reload::kLive,
            "how long a statement waits for the lock of another");
  return table;
}

/// At a key of an object, or at the object where it has no such key.
void tell_at(Reader& reader, const json::Value& object, const char* key,
             void (Reader::*tell)(const json::Value&, std::string), std::string text) {
  const json::Value* value = object.find(key);
  if (value == nullptr) return (reader.*tell)(object, std::move(text));
  const Reader::Step step(reader, key);
  (reader.*tell)(*value, std::move(text));
}

bool has_text(const json::Value& object, const char* key) {
  const json::Value* value = object.find(key);
  if (value == nullptr) return false;
  return value->string() == nullptr || !value->string()->empty();
}

/// Rules between the keys of one database.
void check_database(Reader& reader, const json::Value& value, const DatabaseOptions& database) {
  const PoolOptions& pool = database.pool;
  if (pool.pool_min > pool.pool_max) {
    tell_at(reader, value, "pool_min", &Reader::error,
            fmt::format("{} is more than \"pool_max\", {}", pool.pool_min, pool.pool_max));
  }
  if (database.driver != Driver::kMysql) return;
  if (has_text(value, "password") && has_text(value, "password_file")) {
    tell_at(reader, value, "password_file", &Reader::error, "there is a \"password\" already");
  }
  const std::string refused = db::refused_client_flags(database.server.client_flag);
  if (!refused.empty()) {
    tell_at(reader, value, "client_flag", &Reader::warning,
            fmt::format("not used, and never switched on: {}", refused));
  }
}

ServerTable mysql_keys() {
  ServerTable table;
  table.key("mysql_started", &ServerConfig::mysql_started, Switch{}, Reload::kRestart,
            "off: nothing connects");
  table.merge(&ServerConfig::mysql, server_keys(), {}, "");
  table.later(R"({"tables": []})");
  table.merge(in(&ServerConfig::mysql, &DatabaseOptions::pool), pool_keys(), {}, "");
  table.check([](Reader& reader, const json::Value& value, ServerConfig& config) {
    check_database(reader, value, config.mysql);
  });
  return table;
}

Table<DatabaseOptions> database_keys() {
  const auto is_of = [](Driver driver) {
    return [driver](const DatabaseOptions& database) { return database.driver == driver; };
  };
  const auto itself = [](auto& database) -> auto& { return database; };
  Table<DatabaseOptions> table;
  table.key("driver", &DatabaseOptions::driver,
            Choice<Driver>{{{"sqlite", Driver::kSqlite}, {"mysql", Driver::kMysql}}},
            Reload::kRestart, "needed; \"mysql\" is MariaDB as well");
  table.read_first("driver");
  table.merge(&DatabaseOptions::sqlite, file_keys(), is_of(Driver::kSqlite),
              "the driver \"sqlite\"");
  table.merge(itself, server_keys(), is_of(Driver::kMysql), "the driver \"mysql\"");
  table.merge(&DatabaseOptions::pool, pool_keys(), {}, "");
  table.check([](Reader& reader, const json::Value& value, DatabaseOptions& database) {
    if (value.find("driver") == nullptr) {
      reader.error(value, "a database needs the key \"driver\": \"sqlite\" or \"mysql\"");
    }
    check_database(reader, value, database);
  });
  return table;
}

bool has_task_threads(const net::TaskOptions& tasks) {
  return tasks.threads > 0 || tasks.overflow == net::TaskOverflow::kRunOnLoop;
}

}  // namespace

void add_database_keys(ServerTable& table) {
  table.group("mysql", mysql_keys(),
              "the keys of 2021, and those of every database: handlers know it as \"mysql\"");
  table.map<decltype(&ServerConfig::databases), DatabaseOptions>(
      "databases", &ServerConfig::databases,
      std::make_shared<const Table<DatabaseOptions>>(database_keys()),
      [](const ServerConfig& config) { return DatabaseOptions{.pool = config.database_pool}; },
      {.count_max = db::kDatabasesMax, .objection = object_to_database_name}, Reload::kRestart,
      "databases by the names that handlers know");
}

void check_databases(Reader& reader, const json::Value& root, const ServerConfig& config) {
  const json::Value* list = root.find("databases");
  if (list == nullptr || list->object() == nullptr) return;
  const Reader::Step outer(reader, "databases");
  if (config.opened_databases().size() > db::kDatabasesMax) {
    reader.error(*list, fmt::format("with \"mysql\" there are more than {}", db::kDatabasesMax));
  }
  for (const json::Member& member : *list->object()) {
    const auto found = config.databases.find(member.key);
    if (found == config.databases.end()) continue;
    const Reader::Step step(reader, member.key);
    if (config.mysql_started && member.key == kMysqlDatabase) {
      reader.error(member.value, "\"mysql\" is there already: \"mysql_started\" is on");
    }
    if (found->second.driver == Driver::kSqlite && !has_task_threads(config.tasks)) {
      tell_at(reader, member.value, "driver", &Reader::error,
              "works on task threads, and there is none: \"task_processes\" is 0");
    }
  }
}

}  // namespace ssx::config
