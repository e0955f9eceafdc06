// A session with MySQL or MariaDB behind the seam: prepared statements with a cache, rows as they
// come, nothing that blocks the loop.
//
// Thread: one loop at a time; between two operations any thread may destroy it
// Owner:  the pool, or whoever borrows it
// Life:   from a Session that has logged in to MysqlDriver::discard()
// Bounds: BatchLimits; the statement cache's capacity; kRowsDropped and kBytesDropped of a result
//         that nobody wants, beyond which the session is given up. The loop has its turn after
//         kRowsPerTurn or kBytesPerTurn
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "ssxrver/db/driver.h"
#include "ssxrver/db/mysql/cells.h"
#include "ssxrver/db/mysql/session.h"
#include "ssxrver/db/statement_cache.h"

namespace ssx::db::mysql {

/// What every session begins with, and begins with again after a reset: each statement for itself,
/// and word of what somebody has changed of the session. Comments hide it from servers too old.
inline constexpr std::string_view kSessionBegin =
    "SET autocommit=1 /*!50705 , session_track_state_change=1 */"
    "/*M!100202 , session_track_state_change=1 */";

/// One that the session has prepared. It stays where it is: the library writes into its cells.
struct PreparedStatement {
  PreparedStatement(std::string text, StatementHandle prepared, bool changes) noexcept
      : sql(std::move(text)), handle(std::move(prepared)), changes_session(changes) {}

  const std::string sql;
  StatementHandle handle;  ///< null: the server prepares no such statement, and takes it as text
  Cells cells;
  std::optional<Cells> unwanted;  ///< of the result behind the first that is read away
  const bool changes_session;     ///< session_effect.h
};

class MysqlConnection final : public Connection {
 public:
  static constexpr std::size_t kRowsDropped = 1024;
  static constexpr std::size_t kBytesDropped = 1U << 20U;
  static constexpr std::size_t kRowsPerTurn = 256;
  static constexpr std::size_t kBytesPerTurn = 256U << 10U;

  /// The session has logged in, and kSessionBegin has run.
  MysqlConnection(std::unique_ptr<Session> session, const MysqlOptions& options,
                  std::size_t statement_cache);

  Task<Result<Batch>> execute(Statement statement, BatchLimits limits) override;
  Task<Result<Batch>> fetch(BatchLimits limits) override;
  Task<Result<void>> reset() override;
  Task<Result<void>> ping() override;
  [[nodiscard]] State state() const noexcept override;
  [[nodiscard]] bool in_transaction() const noexcept override {
    return session_->in_transaction() && !undone_;
  }
  [[nodiscard]] bool has_gone() noexcept override;

  /// The server may work on a statement whose rows nobody will read.
  [[nodiscard]] bool is_at_work() const noexcept {
    return session_->interrupted() || open_ != nullptr;
  }
  [[nodiscard]] unsigned long thread_id() const noexcept { return session_->thread_id(); }
  [[nodiscard]] std::size_t prepared_count_for_test() const noexcept { return cache_.size(); }

 private:
  class Pace;

  Task<Result<PreparedStatement*>> prepare(std::string_view sql, bool has_parameters);
  Task<Result<Batch>> execute_prepared(PreparedStatement& prepared, const Values& parameters,
                                       BatchLimits limits);
  Task<Result<Batch>> execute_text(std::string_view sql, BatchLimits limits);
  /// Rows of open_, up to the limits.
  Task<Result<Batch>> read(BatchLimits limits);
  /// Reads what is left of open_ away, or gives the session up where that is long.
  Task<Result<void>> drop_result();
  /// `bound`: the cells that the library writes to.
  Task<Result<void>> drop_rows(const Cells& bound);
  /// All rows of open_ have been read.
  Task<Result<void>> close_result();
  Task<> forget(PreparedStatement& prepared);
  Task<Result<void>> run(std::string_view sql);
  [[nodiscard]] Failure failure_of(MYSQL_STMT* statement, const char* where, std::string_view sql);
  /// `status`: 0 where the server has answered well.
  void note_session_state(int status) noexcept;

  /// Outlives the session, so that it is freed without a word to the server.
  StatementCache<std::unique_ptr<PreparedStatement>> cache_;
  const std::unique_ptr<Session> session_;
  const std::string set_names_;
  const std::string use_database_;     ///< empty: none was chosen
  PreparedStatement* open_ = nullptr;  ///< whose result has rows left
  bool row_waits_ = false;             ///< a row was fetched that no batch has taken
  bool session_changed_ = false;       ///< a variable, a temporary table, the database, a lock
  bool undone_ = false;                ///< the transaction, by the server, with its last error
};

}  // namespace ssx::db::mysql
