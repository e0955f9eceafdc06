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
    std::size_t statement_cache = 0;
    std::size_t length_max = 0;
  };

  /// A name for a database in memory that nobody else has, and nobody will have.
  static std::string name_in_memory();

  /// kConflict: another process has it locked; later it may be had.
  static Result<std::shared_ptr<SqliteSession>> open(const Options& options);
  /// The same, for a thread that may wait so long.
  static Result<std::shared_ptr<SqliteSession>> open_within(const Options& options,
                                                            milliseconds patience);
  SqliteSession(const SqliteSession&) = delete;
  SqliteSession& operator=(const SqliteSession&) = delete;
  ~SqliteSession() = default;

  /// Never waits for a lock: kConflict, and is_blocked() says whether it is worth it to try again.
  Result<Batch> execute(Statement statement, const BatchLimits& limits);
  /// The statement that was blocked, once more.
  Result<Batch> retry(const BatchLimits& limits);
  Result<Batch> fetch(const BatchLimits& limits);
  /// Of what somebody has done to the session a rollback is all that can be undone: where it was
  /// more (a PRAGMA, ATTACH, something TEMP) this fails, and the session has to go.
  Result<void> reset();
  [[nodiscard]] Connection::State state() const noexcept;
  [[nodiscard]] bool in_transaction() const noexcept;

  /// The last statement has changed nothing and read nothing, as somebody else holds a lock. Not so
  /// where waiting would be in vain: in a transaction whose own lock the other one waits for.
  [[nodiscard]] bool is_blocked() const noexcept { return blocked_; }
  /// It is not tried again.
  void forget_blocked() noexcept;

  /// Any thread: what runs here ends soon with kCancelled, and so does all that follows.
  void stop() noexcept;

 private:
  struct Prepared {
    std::unique_ptr<sqlite3_stmt, SqliteClose> handle;
    ColumnNames columns;  ///< as they were when it was prepared so often:
    int prepared = -1;    ///< a changed schema prepares it again
    bool changes_session = false;
  };
  enum class Phase : std::uint8_t { kPreparing, kBinding, kRunning };

  explicit SqliteSession(const Options& options) : statements_(options.statement_cache) {}

  Result<void> set_up(const Options& options);
  Result<void> run(const char* sql);
  Result<Batch> attempt(const BatchLimits& limits);
  Result<Prepared*> prepare(std::string_view sql);
  Result<void> bind(sqlite3_stmt* statement);
  Result<Batch> read(const BatchLimits& limits);
  ColumnNames columns();
  void close_statement() noexcept;
  void close_result() noexcept;
  static Errc errc_of(int code, Phase phase) noexcept;
  /// What SQLite says about its last call.
  UnexpectedOf<Failure> failure(int code, Phase phase);

  static int on_busy(void* self, int count) noexcept;
  static int on_progress(void* self) noexcept;
  static int on_prepare(void* self, int action, const char* first, const char* second,
                        const char* database, const char* trigger) noexcept;

  std::unique_ptr<sqlite3, SqliteClose> database_;
  StatementCache<Prepared> statements_;
  Statement running_;  ///< keeps the parameters that are bound
  Prepared* open_ = nullptr;
  bool has_row_ = false;          ///< the statement stands on a row that belongs to the next batch
  bool met_lock_ = false;         ///< on_busy was asked
  bool blocked_ = false;          ///< and nothing was read or changed: running_ may be tried again
  bool changes_session_ = false;  ///< what is being prepared does
  bool session_changed_ = false;  ///< a statement that does was run
  std::int64_t changes_before_ = 0;
  bool broken_ = false;
  std::atomic<bool> stopped_{false};
};

}  // namespace ssx::db::internal
