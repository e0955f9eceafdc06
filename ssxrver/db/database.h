// A database: queries, transactions and streams of rows, each on a connection of its pool.
//
// Thread: any loop
// Owner:  whoever makes it: an embedder's main, or what the configuration is read into
// Life:   longer than the loops that use it, as the Pool
// Bounds: PoolOptions: statement_bytes_max on the way in, rows_max and bytes_max on the way out
//
//   const auto rows = co_await db.query("SELECT id FROM note WHERE owner = ?", owner);
//
//   auto change = co_await db.begin();
//   if (!change) co_return answer_for(change.error());
//   const auto taken = co_await change->query("UPDATE account SET ...", amount, from);
//   if (!taken) co_return answer_for(taken.error());          // and what was done is undone
//   const auto end = co_await change->commit();
//
//   auto stream = co_await db.stream("SELECT * FROM note");
//   for (;;) {
//     const auto batch = co_await stream->next();
//     if (!batch || batch->empty()) break;
//     ...
//   }
//
// Destroying a Task that awaits one of these cancels it: the query is stopped at the database.
#pragma once

#include <concepts>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "ssxrver/coro/task.h"
#include "ssxrver/db/driver.h"
#include "ssxrver/db/options.h"
#include "ssxrver/db/pool.h"
#include "ssxrver/db/statement.h"

namespace ssx::db {

class RowStream;
class Transaction;

class Database {
 public:
  Database(std::unique_ptr<Driver> driver, const PoolOptions& options)
      : driver_(std::move(driver)), pool_(*driver_, options) {}

  /// All rows; kTooManyRows or kResultTooLarge when they are more than the options allow.
  template <class... Ts>
    requires(std::constructible_from<Value, Ts> && ...)
  [[nodiscard]] Task<Result<Rows>> query(std::string_view sql, Ts&&... parameters) {
    return query(Statement(sql, std::forward<Ts>(parameters)...));
  }
  [[nodiscard]] Task<Result<Rows>> query(Statement statement);

  /// Rows in batches; the database waits while nobody asks for the next. The connection is the
  /// stream's as long as it lives, or until its last row.
  template <class... Ts>
    requires(std::constructible_from<Value, Ts> && ...)
  [[nodiscard]] Task<Result<RowStream>> stream(std::string_view sql, Ts&&... parameters) {
    return stream(Statement(sql, std::forward<Ts>(parameters)...));
  }
  [[nodiscard]] Task<Result<RowStream>> stream(Statement statement, BatchLimits limits = {});

  [[nodiscard]] Task<Result<Transaction>> begin();

  /// Whether a connection can be had.
  [[nodiscard]] Task<Result<void>> check();

  [[nodiscard]] const Dialect& dialect() const noexcept { return driver_->dialect(); }
  [[nodiscard]] Pool& pool() noexcept { return pool_; }

 private:
  const std::unique_ptr<Driver> driver_;
  Pool pool_;
};

/// Changes that are made together, or not at all: rolled back when it is destroyed before commit()
/// has succeeded. The connection goes back to the pool then, once it is clean.
///
/// It is over with commit() or rollback(), whatever they give; with the failures that undo it
/// (query()); and where a statement ends it at the database: COMMIT as a text, and with MySQL what
/// defines something (CREATE, ALTER, DROP). From then on every call gives kConnectionLost, and
/// nothing is sent: a statement never runs outside of the transaction that it was meant for.
class Transaction {
 public:
  template <class... Ts>
    requires(std::constructible_from<Value, Ts> && ...)
  [[nodiscard]] Task<Result<Rows>> query(std::string_view sql, Ts&&... parameters) {
    return query(Statement(sql, std::forward<Ts>(parameters)...));
  }
  /// One at a time. A statement that fails leaves the transaction open, but for kConflict,
  /// kConnectionLost and kQueryTimedOut, or where the database has rolled back for another reason
  /// (a full disk, a constraint that says so). To give a query up in the middle ends it, too; after
  /// kTooManyRows or kResultTooLarge the next statement may give kConnectionLost, where what is
  /// left of the rows is too much to be read away.
  [[nodiscard]] Task<Result<Rows>> query(Statement statement);

  /// When that fails the transaction is not committed, or nobody knows: kConnectionLost,
  /// kQueryTimedOut, and kCancelled, as somebody may have ended it when it was done already.
  [[nodiscard]] Task<Result<void>> commit();
  /// The same as destroying it, for who wants to know that it is done.
  [[nodiscard]] Task<Result<void>> rollback();

 private:
  friend class Database;
  explicit Transaction(Pool::Lease lease) noexcept : lease_(std::move(lease)) {}
  Task<Result<void>> end(std::string_view sql);
  [[nodiscard]] bool is_undone_by(const Result<Rows>& result) const noexcept;

  std::optional<Pool::Lease> lease_;  ///< nothing: it is over
};

/// The rows of one query, batch by batch. Destroying it gives up the rest.
class RowStream {
 public:
  /// The next rows; none: that was all, also when asked again.
  [[nodiscard]] Task<Result<Rows>> next();

 private:
  friend class Database;
  RowStream(Pool::Lease lease, Batch first, const BatchLimits& limits) noexcept
      : lease_(std::move(lease)), batch_(std::move(first)), limits_(limits) {
    if (!batch_->more) lease_.reset();
  }

  std::optional<Pool::Lease> lease_;
  std::optional<Batch> batch_;  ///< the first, until it is taken
  BatchLimits limits_;
};

}  // namespace ssx::db
