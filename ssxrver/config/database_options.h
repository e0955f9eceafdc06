// A database as the configuration has it: an entry of `databases`, and the `mysql` object of 2021,
// which is the database "mysql".
//
// Thread: immutable once loaded
// Owner:  ServerConfig
// Life:   that of the configuration
// Bounds: the options of ssxrver/db say theirs
#pragma once

#include <cstdint>
#include <string_view>

#include "ssxrver/config/secret.h"
#include "ssxrver/db/options.h"

namespace ssx::config {

/// What handlers call the database of the `mysql` object.
inline constexpr std::string_view kMysqlDatabase = "mysql";

struct DatabaseOptions {
  enum class Driver : std::uint8_t { kSqlite, kMysql };

  Driver driver = Driver::kSqlite;  ///< `driver`
  db::SqliteOptions sqlite = {};    ///< when it is kSqlite
  db::MysqlOptions server = {};     ///< when it is kMysql, but for the password
  Secret password = {};             ///< `password`, or `password_file`
  db::PoolOptions pool = {};
  bool operator==(const DatabaseOptions&) const = default;

  /// `server` with its password.
  [[nodiscard]] db::MysqlOptions login() const {
    db::MysqlOptions options = server;
    options.password = password.value;
    return options;
  }
};

}  // namespace ssx::config
