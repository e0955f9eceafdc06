// What can be chosen about a database (`databases`, and the `mysql` object).
//
// Thread: immutable once validated
// Owner:  whoever makes the Database; copied into it
// Life:   longer than the Database
// Bounds: every field says its range
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>

namespace ssx::db {

using std::chrono::milliseconds;

enum class OnUnavailable : std::uint8_t {
  kRetry,  ///< the daemon starts, and who wants a connection waits for it up to acquire_timeout
  kFail,   ///< the daemon does not start, and who wants a connection is told at once; for a
           ///< moment after a failure (Pool::kBackoffMin and more) without another attempt
};

/// The same for every driver.
struct PoolOptions {
  std::size_t pool_min = 0;  ///< `pool_min`: 0 .. pool_max; kept open, also when idle
  std::size_t pool_max = 8;  ///< `pool_max`: 1 .. 1024; of all loops together
  /// `waiters_max`: 0 .. 1048576 wait for a connection; who comes then gets kTooManyWaiters.
  std::size_t waiters_max = 1024;
  milliseconds acquire_timeout{3000};  ///< `acquire_timeout`: 1 ms .. 1 h; waiting and connecting
  milliseconds connect_timeout{3000};  ///< `connect_timeout`: 1 ms .. 1 h; of all its addresses
  milliseconds query_timeout{30000};   ///< `query_timeout`: 0 = off; of one query or one batch
  milliseconds idle_timeout{600000};   ///< `idle_timeout`: 0 = off; then it is closed
  milliseconds max_lifetime{3600000};  ///< `max_lifetime`: 0 = off; then it is replaced
  milliseconds ping_after{30000};      ///< `ping_after`: 0 = always; idle so long: asked first
  std::size_t statement_cache = 64;    ///< `statement_cache`: 0 .. 4096 prepared per connection
  std::size_t rows_max = 100000;       ///< `rows_max`: 1 .. 2^32-1 rows of one query()
  std::size_t bytes_max = 64U << 20U;  ///< `bytes_max`: 4 KiB .. 1 GiB of one query()
  /// `statement_bytes_max`: 1 KiB .. 1 GiB; of its text and its parameters.
  std::size_t statement_bytes_max = 16U << 20U;
  OnUnavailable on_unavailable = OnUnavailable::kRetry;  ///< `on_unavailable`
  bool operator==(const PoolOptions&) const = default;
};

/// Of `"driver": "mysql"`: MySQL and MariaDB.
struct MysqlOptions {
  std::string address = "127.0.0.1";  ///< `address`: a name or an IP address
  std::uint16_t port = 0;             ///< `port`: 0 = 3306
  std::string unix_socket;            ///< `unix_socket`: a path; empty: TCP to address and port
  std::string user = "root";          ///< `user`
  std::string password;               ///< `password`
  std::string database;               ///< `database_name`: empty: none is chosen
  std::string charset = "utf8mb4";    ///< `charset`: of the texts in both directions
  /// `client_flag`: CLIENT_... as numbers of the protocol; mysql_client_flag.h says which count.
  std::uint32_t client_flag = 0;
  bool operator==(const MysqlOptions&) const = default;
};

/// Of `"driver": "sqlite"`.
struct SqliteOptions {
  std::string file;  ///< `file`: a path; empty: in memory, gone with the process
  /// `busy_timeout`: 0 .. 1 h; how long to wait for a lock, and never longer than query_timeout.
  milliseconds busy_timeout{5000};
  bool operator==(const SqliteOptions&) const = default;
};

}  // namespace ssx::db
