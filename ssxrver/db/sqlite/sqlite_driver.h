// SQLite: a database in a file or in memory, in this process.
//
// Thread: as db::Driver; what blocks runs on the task threads
// Owner:  a Database
// Life:   shorter than the TaskPool
// Bounds: SqliteOptions and PoolOptions
//
// A file is opened with WAL (many readers and one writer at once), foreign keys are on, and a name
// in double quotes is never a text. Without a file the database is in memory: all connections of
// the driver see it, and it ends with the driver.
//
// A query that nobody awaits any more ends within some 50 us of SQLite's work. Who waits for a lock
// waits on his loop, up to busy_timeout or the end of the query, and takes no task thread.
//
// A session whose borrower has changed it (a PRAGMA with a value, ATTACH, DETACH, a TEMP table,
// view or trigger) is closed when it comes back, as nothing else undoes that.
#pragma once

#include <memory>
#include <string>

#include "ssxrver/db/driver.h"
#include "ssxrver/db/options.h"
#include "ssxrver/net/task_pool.h"

namespace ssx::db {

namespace internal {
class SqliteSession;
}

class SqliteDriver final : public Driver {
 public:
  /// Opens it once, on this thread: a file that cannot be opened, or is none of SQLite's, is told
  /// here. kUnsupported when `tasks` has no threads.
  static Result<std::unique_ptr<SqliteDriver>> create(net::TaskPool& tasks,
                                                      const SqliteOptions& options,
                                                      const PoolOptions& pool);
  ~SqliteDriver() override;

  Task<Result<std::unique_ptr<Connection>>> connect() override;
  void discard(std::unique_ptr<Connection> connection) noexcept override;
  [[nodiscard]] const Dialect& dialect() const noexcept override;

 private:
  SqliteDriver(net::TaskPool& tasks, const SqliteOptions& options, const PoolOptions& pool);

  net::TaskPool& tasks_;
  const SqliteOptions options_;
  const PoolOptions pool_;
  const std::string name_;
  /// Keeps a database in memory when the pool has no connection.
  std::shared_ptr<internal::SqliteSession> anchor_;
};

}  // namespace ssx::db
