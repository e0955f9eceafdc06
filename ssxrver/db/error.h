// Errors of the databases, and what a driver says beside them.
//
// Thread: values
// Owner:  -
// Life:   -
// Bounds: Failure::text is cut to kTextMax bytes
//
// What a database answers is a db::Result<T>: the value, or a Failure. Its Error is for the program
// (which of the ends below), its text and number are the server's own and for the log: a client of
// the service should see neither.
//
//   const auto rows = co_await db.query("SELECT name FROM user WHERE id = ?", id);
//   if (!rows) co_return answer_for(rows.error());
#pragma once

#include <string>
#include <string_view>
#include <system_error>
#include <type_traits>

#include "ssxrver/base/result.h"

namespace ssx::db {

enum class Errc : int {
  kOk = 0,

  // Before a connection was had: the statement has not run.
  kUnavailable,       ///< no connection can be made
  kAcquireTimedOut,   ///< PoolOptions::acquire_timeout: all connections were lent
  kTooManyWaiters,    ///< PoolOptions::waiters_max
  kConnectTimedOut,   ///< PoolOptions::connect_timeout
  kAccessDenied,      ///< the server does not take this user, password or database
  kShutDown,          ///< the pool is closed
  kNoSuchDatabase,    ///< no database of this name is configured
  kUnsupported,       ///< not by this driver, or not in this build
  kStatementTooLong,  ///< PoolOptions::statement_bytes_max
  kInvalidRequest,    ///< StatementBuilder: not a request for a statement; the text says where
  kRequestTooLarge,   ///< StatementLimits

  // The statement may have run, and its outcome is not known.
  kQueryTimedOut,   ///< PoolOptions::query_timeout
  kCancelled,       ///< somebody else ended the query (an administrator, sqlite3_interrupt)
  kConnectionLost,  ///< the server or the network went away; of a Transaction: it is over

  // The database refuses the statement.
  kSyntax,          ///< it is no SQL, or names a table or column that is not there; a NUL byte
  kParameterCount,  ///< more or fewer parameters than the statement has places
  kConstraint,      ///< unique, not null, foreign key, check
  kConflict,        ///< locked, or a deadlock: a Transaction is undone, and may be tried again
  kReadOnly,        ///< the database cannot be written
  kFull,            ///< no room on the disk, or a limit of the database
  kDamaged,         ///< the file or table is no database, or is corrupt
  kRejected,        ///< for another reason: vendor_code and text say which

  // What came back does not fit.
  kTooManyRows,     ///< PoolOptions::rows_max
  kResultTooLarge,  ///< PoolOptions::bytes_max
  kNoSuchColumn,    ///< Row::get(): no column of that name or number
  kIsNull,          ///< Row::get<T>(): null, and T is no optional
  kWrongType,       ///< Row::get<T>(): of another kind than T
  kOutOfRange,      ///< Row::get<T>(): a number that T cannot hold
  kRowCount,        ///< one row was asked for, and there is none or another
};

inline constexpr int kErrcCount = static_cast<int>(Errc::kRowCount) + 1;

[[nodiscard]] std::string_view to_string(Errc code) noexcept;
const std::error_category& db_category() noexcept;
std::error_code make_error_code(Errc code) noexcept;

class [[nodiscard]] Failure {
 public:
  static constexpr std::size_t kTextMax = 512;

  /// Without a word of the database's own. Implicit: `co_return fail(Errc::kShutDown, "acquire");`
  // NOLINTNEXTLINE(google-explicit-constructor): fail() of any layer ends a Task of a database
  Failure(const Error& error) noexcept : error_(error) {}
  Failure(const Error& error, int vendor_code, std::string_view text);

  [[nodiscard]] const Error& error() const noexcept { return error_; }
  /// The database's own number: an error of MySQL, an extended result code of SQLite; 0 = none.
  [[nodiscard]] int vendor_code() const noexcept { return vendor_code_; }
  /// What the database said; empty: nothing. Control characters are blanks.
  [[nodiscard]] const std::string& text() const noexcept { return text_; }
  /// For the log: "query: refused by a constraint (2067: UNIQUE constraint failed: user.name)".
  [[nodiscard]] std::string message() const;

  /// The statement has not run, and may succeed later: what a web service answers with 503.
  [[nodiscard]] bool is_unavailable() const noexcept;

  friend bool operator==(const Failure& failure, const std::error_code& code) noexcept {
    return failure.error_ == code;
  }

 private:
  Error error_;
  int vendor_code_ = 0;
  std::string text_;
};

template <class T>
using Result = Expected<T, Failure>;

/// `co_return fail(Errc::kConstraint, "query", 2067, sqlite3_errmsg(db));`
inline UnexpectedOf<Failure> fail(Errc code, const char* where, int vendor_code,
                                  std::string_view text) {
  return UnexpectedOf<Failure>(Failure(Error(make_error_code(code), where), vendor_code, text));
}
/// `return fail(result.error());`
inline UnexpectedOf<Failure> fail(Failure failure) {
  return UnexpectedOf<Failure>(std::move(failure));
}
inline UnexpectedOf<Failure> fail(Errc code, const char* where) {
  return UnexpectedOf<Failure>(Failure(Error(make_error_code(code), where)));
}

}  // namespace ssx::db

template <>
struct std::is_error_code_enum<ssx::db::Errc> : std::true_type {};
