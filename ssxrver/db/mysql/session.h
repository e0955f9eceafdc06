// One session with a server, as the client library has it, and what must not be left to its
// defaults: no LOCAL INFILE, a list of the ways to log in, a bound for what a server may send.
//
// Thread: one thread at a time; while a Call waits, the thread of its loop
// Owner:  a MysqlConnection; while it connects, the coroutine that does
// Life:   create() .. destruction, which ends it at once, whatever it is doing
// Bounds: packet_bytes_max; about 80 KiB with the stack of a call that waits
#pragma once

#include <mysql.h>

#include <cstddef>
#include <cstdint>
#include <memory>

#include "ssxrver/db/error.h"
#include "ssxrver/db/mysql/server_error.h"
#include "ssxrver/db/options.h"

namespace ssx::db::mysql {

struct StatementCloser {
  void operator()(MYSQL_STMT* statement) const noexcept { mysql_stmt_close(statement); }
};
using StatementHandle = std::unique_ptr<MYSQL_STMT, StatementCloser>;

class Session {
 public:
  /// Not connected. `packet_bytes_max`: of what either side sends in one piece.
  static Result<std::unique_ptr<Session>> create(const MysqlOptions& options,
                                                 std::size_t packet_bytes_max);
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;
  ~Session();

  [[nodiscard]] MYSQL* handle() noexcept { return &mysql_; }
  /// What the library has said last, of the session or of a statement.
  [[nodiscard]] Failure failure(const char* where, Phase phase = Phase::kRunning);
  [[nodiscard]] Failure failure(MYSQL_STMT* statement, const char* where);

  /// The server has closed the connection, or says what nobody has asked for: nothing that is sent
  /// now would be executed. Requires that nothing is under way.
  [[nodiscard]] bool peer_has_gone();
  [[nodiscard]] bool in_transaction() const noexcept {
    return (mysql_.server_status & SERVER_STATUS_IN_TRANS) != 0;
  }
  /// The number of this session at the server; 0: it has not told one yet.
  [[nodiscard]] unsigned long thread_id() noexcept { return mysql_thread_id(&mysql_); }

  [[nodiscard]] bool broken() const noexcept { return broken_; }
  void set_broken() noexcept { broken_ = true; }
  /// A call was given up while the server worked on it.
  [[nodiscard]] bool interrupted() const noexcept { return interrupted_; }

  /// For Call: nothing is read or sent any more, so that a call that waits fails and returns.
  void cut() noexcept;
  void set_interrupted() noexcept { interrupted_ = broken_ = true; }

 private:
  Session() = default;

  MYSQL mysql_{};
  bool broken_ = false;
  bool interrupted_ = false;
};

}  // namespace ssx::db::mysql
