// One connection to a SQLite database, as it is: every call blocks.
//
// Thread: one at a time (a task thread); stop(): any thread
// Owner:  the connection of the driver, and the work that is on a task thread: whoever goes last
// Life:   open() .. the last owner
// Bounds: BatchLimits; statement_cache; values are at most as long as bytes_max or
//         statement_bytes_max allow (SQLITE_LIMIT_LENGTH)
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "ssxrver/db/driver.h"
#include "ssxrver/db/options.h"
#include "ssxrver/db/statement_cache.h"

struct sqlite3;
struct sqlite3_stmt;

namespace ssx::db::internal {

struct SqliteClose {
  void operator()(sqlite3* database) const noexcept;
  void operator()(sqlite3_stmt* statement) const noexcept;
};

class SqliteSession {
 public:
  struct Options {
    std::string name;     ///< a path, or the URI of a database in memory
    bool memory = false;  ///< it is that
    milliseconds busy_timeout{0};
    std::size_t statement_cache = 0;
    std::size_t length_max = 0;
  };

  static Result<std::shared_ptr<SqliteSession>> open(const Options& options);
  SqliteSession(const SqliteSession&) = delete;
  SqliteSession& operator=(const SqliteSession&) = delete;
  ~SqliteSession() = default;

  Result<Batch> execute(Statement statement, const BatchLimits& limits);
  Result<Batch> fetch(const BatchLimits& limits);
  Result<void> reset();
  [[nodiscard]] Connection::State state() const noexcept;

  /// Any thread: what runs here ends soon with kCancelled, and so does all that follows.
  void stop() noexcept;

 private:
  struct Prepared {
    std::unique_ptr<sqlite3_stmt, SqliteClose> handle;
    ColumnNames columns;  ///< as they were when it was prepared so often:
    int prepared = -1;    ///< a changed schema prepares it again
  };

  explicit SqliteSession(const Options& options)
      : busy_timeout_(options.busy_timeout), statements_(options.statement_cache) {}

  Result<void> set_up(const Options& options);
  Result<void> run(const char* sql);
  Result<Prepared*> prepare(std::string_view sql);
  Result<void> bind(sqlite3_stmt* statement);
  Result<Batch> read(const BatchLimits& limits);
  ColumnNames columns();
  void close_result() noexcept;
  /// What SQLite says about its last call.
  UnexpectedOf<Failure> failure(int code, bool preparing = false);

  static int on_busy(void* self, int count) noexcept;
  static int on_progress(void* self) noexcept;

  const milliseconds busy_timeout_;
  std::unique_ptr<sqlite3, SqliteClose> database_;
  StatementCache<Prepared> statements_;
  Statement running_;  ///< keeps the parameters that are bound
  Prepared* open_ = nullptr;
  bool has_row_ = false;  ///< the statement stands on a row that belongs to the next batch
  std::int64_t changes_before_ = 0;
  bool broken_ = false;
  std::atomic<bool> stopped_{false};
};

}  // namespace ssx::db::internal
