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
#include <limits>
#include <memory>

#include "ssxrver/db/error.h"
#include "ssxrver/db/mysql/client_library.h"
#include "ssxrver/db/mysql/server_error.h"
#include "ssxrver/db/options.h"

namespace ssx::db::mysql {

struct StatementCloser {
  void operator()(MYSQL_STMT* statement) const noexcept { client().mysql_stmt_close(statement); }
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
  [[nodiscard]] unsigned long thread_id() const noexcept {
    return was_greeted() ? mysql_.thread_id : 0;
  }

  [[nodiscard]] bool broken() const noexcept { return broken_; }
  void set_broken() noexcept { broken_ = true; }
  /// A call was given up while the server worked on it.
  [[nodiscard]] bool interrupted() const noexcept { return interrupted_; }

  /// For Call: nothing is read or sent any more, so that a call that waits fails and returns.
  void cut() noexcept;
  void set_interrupted() noexcept { interrupted_ = broken_ = true; }

 private:
  /// More than the four bytes of a greeting can say.
  static constexpr unsigned long kNotGreeted = std::numeric_limits<unsigned long>::max();

  Session() = default;
  [[nodiscard]] bool was_greeted() const noexcept { return mysql_.thread_id != kNotGreeted; }

  MYSQL mysql_{};
  /// The server's version until it has told one. The library looks at it, as it is not null, when
  /// a server begins with the error that tells of progress (65535). Ours once it was greeted.
  char* version_stand_in_ = nullptr;
  bool broken_ = false;
  bool interrupted_ = false;
};

}  // namespace ssx::db::mysql
