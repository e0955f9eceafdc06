// A session with MySQL or MariaDB behind the seam: prepared statements with a cache, rows as they
// come, nothing that blocks the loop.
//
// Thread: one loop at a time; between two operations any thread may destroy it
// Owner:  the pool, or whoever borrows it
// Life:   from a Session that has logged in to MysqlDriver::discard()
// Bounds: BatchLimits; the statement cache's capacity; kRowsDropped rows that reset() reads away
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "ssxrver/db/driver.h"
#include "ssxrver/db/mysql/session.h"
#include "ssxrver/db/mysql/statement_cache.h"

namespace ssx::db::mysql {

/// What every session begins with, and begins with again after a reset: each statement for itself,
/// and word of what somebody has changed of the session. Comments hide it from servers too old.
inline constexpr std::string_view kSessionBegin =
    "SET autocommit=1 /*!50705 , session_track_state_change=1 */"
    "/*M!100202 , session_track_state_change=1 */";

class MysqlConnection final : public Connection {
 public:
  static constexpr int kRowsDropped = 256;

  /// The session has logged in, and kSessionBegin has run.
  MysqlConnection(std::unique_ptr<Session> session, std::string charset,
                  std::size_t statement_cache);

  Task<Result<Batch>> execute(Statement statement, BatchLimits limits) override;
  Task<Result<Batch>> fetch(BatchLimits limits) override;
  Task<Result<void>> reset() override;
  Task<Result<void>> ping() override;
  [[nodiscard]] State state() const noexcept override;
  [[nodiscard]] bool has_gone() noexcept override;

  /// An operation was given up while the server worked on it.
  [[nodiscard]] bool interrupted() const noexcept { return session_->interrupted(); }
  [[nodiscard]] unsigned long thread_id() const noexcept { return session_->thread_id(); }
  [[nodiscard]] std::size_t prepared_count_for_test() const noexcept { return cache_.size(); }

 private:
  Task<Result<PreparedStatement*>> prepare(std::string_view sql, bool has_parameters);
  Task<Result<Batch>> execute_prepared(PreparedStatement& prepared, const Values& parameters,
                                       BatchLimits limits);
  Task<Result<Batch>> execute_text(std::string_view sql, BatchLimits limits);
  /// Rows of open_, up to the limits.
  Task<Result<Batch>> read(BatchLimits limits);
  /// All rows of open_ have been read, or are dropped now.
  Task<Result<void>> close_result();
  Task<> forget(PreparedStatement& prepared);
  Task<Result<void>> run(std::string_view sql);
  [[nodiscard]] Failure failure_of(MYSQL_STMT* statement, const char* where, std::string_view sql);
  void note_session_state() noexcept;

  StatementCache
      cache_;  ///< outlives the session, so that it is freed without a word to the server
  const std::unique_ptr<Session> session_;
  const std::string set_names_;
  PreparedStatement* open_ = nullptr;  ///< whose result has rows left
  bool row_waits_ = false;             ///< a row was fetched that no batch has taken
  bool session_changed_ = false;       ///< a variable, a temporary table, the database
};

}  // namespace ssx::db::mysql
