// SEAM: what a kind of database must do. A Driver makes Connections; the pool lends them.
//
// Thread: Driver: any loop. A Connection: one loop at a time; between two operations any thread may
//         destroy it, and another loop may use it next, so it must not leave anything with a loop
// Owner:  the Database owns its Driver; the pool, or whoever borrows it, a Connection
// Life:   connect() .. discard(); a Driver outlives its Connections
// Bounds: one operation of a Connection at a time; BatchLimits; deadlines are the caller's
//
// Every operation is a Task that is awaited on a loop, and it may be destroyed at any time before
// it has finished: by a deadline, by the end of a client. It must stop working for nobody as soon
// as it can; its Connection is then handed to discard() and is not used again, whatever its state.
//
// A Task belongs to a coroutine on a loop and must not block it: a driver whose library blocks runs
// it on net::TaskPool; one whose library does not block waits for its descriptor (net::Channel). In
// both cases what the work needs is moved into it, since the awaiting frame may go before it.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

#include "ssxrver/coro/task.h"
#include "ssxrver/db/error.h"
#include "ssxrver/db/rows.h"
#include "ssxrver/db/rows_builder.h"
#include "ssxrver/db/statement.h"

namespace ssx::db {

/// Some rows of a result.
struct Batch {
  Batch() = default;
  Batch(Rows given, bool has_more) noexcept : rows(std::move(given)), more(has_more) {}
  Rows rows;
  /// The result has at least one row more: fetch() gives it. False: the result is closed.
  bool more = false;
};

class Connection {
 public:
  enum class State : std::uint8_t {
    kClean,   ///< nothing is open: it may be lent as it is
    kDirty,   ///< a transaction or a result is open, or the session was changed: reset() first
    kBroken,  ///< lost, or its session is not known any more: only discard() is left
  };

  Connection() = default;
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;
  virtual ~Connection() = default;

  /// Runs one statement, prepared, with its parameters bound, and gives its first rows; those of a
  /// result that is open already are given up. A text of several statements is kUnsupported. Of a
  /// long result it lets the loop go on now and then, whether or not it has to wait.
  virtual Task<Result<Batch>> execute(Statement statement, BatchLimits limits) = 0;
  /// The next rows. Requires that the last batch had `more`.
  virtual Task<Result<Batch>> fetch(BatchLimits limits) = 0;
  /// Closes what is open: the transaction is rolled back, rows that were not read are gone, and so
  /// is what the last borrower's statements did to the session (settings, variables, temporary
  /// tables, locks), as far as they show it; what a stored function or a trigger does on its own,
  /// and what LAST_INSERT_ID() and its like tell, may be left. Then it is kClean. Fails where the
  /// rest of a result is long or a change cannot be undone: a new session is cheaper then.
  virtual Task<Result<void>> reset() = 0;
  /// Whether the server still answers.
  virtual Task<Result<void>> ping() = 0;

  [[nodiscard]] virtual State state() const noexcept = 0;
  /// A transaction is open, as far as the database has told: false once it has rolled one back on
  /// its own. Asked after each statement of a Transaction; to be overridden where kDirty may mean
  /// something else.
  [[nodiscard]] virtual bool in_transaction() const noexcept { return state() == State::kDirty; }
  /// The server has ended the session, as far as that can be seen here without asking it: looked at
  /// before each time it is lent, so that a statement which would be lost is not begun.
  [[nodiscard]] virtual bool has_gone() noexcept { return false; }
};

/// How a kind of database wants to be spoken to.
struct Dialect {
  std::string_view name;   ///< "sqlite", "mysql"
  char identifier_quote;   ///< on both sides of a name; doubled inside it
  std::string_view begin;  ///< the statement that opens a transaction for writing
};

class Driver {
 public:
  Driver() = default;
  Driver(const Driver&) = delete;
  Driver& operator=(const Driver&) = delete;
  virtual ~Driver() = default;

  /// A new session, kClean. The pool gives it connect_timeout.
  virtual Task<Result<std::unique_ptr<Connection>>> connect() = 0;
  /// Ends a session. When an operation on it was destroyed before it had finished, that is stopped
  /// at the server as well. On a loop, or on the thread that takes everything down.
  virtual void discard(std::unique_ptr<Connection> connection) noexcept = 0;

  [[nodiscard]] virtual const Dialect& dialect() const noexcept = 0;
};

}  // namespace ssx::db
