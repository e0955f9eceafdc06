#include "ssxrver/db/database.h"

namespace ssx::db {
namespace {

Result<void> check_size(Pool& pool, const Statement& statement) {
  if (statement.byte_count() <= pool.options().statement_bytes_max) return {};
  pool.count(&PoolCounters::statement_bytes_max_hit);
  return fail(Errc::kStatementTooLong, "query");
}

UnexpectedOf<Failure> transaction_is_over() {
  return fail(Errc::kConnectionLost, "query", 0, "the transaction is over");
}

/// All of a result, or why that is too much.
Task<Result<Rows>> query_all(Pool::Lease& lease, Statement statement) {
  Pool& pool = lease.pool();
  const BatchLimits limits = {.rows_max = pool.options().rows_max,
                              .bytes_max = pool.options().bytes_max};
  auto batch = co_await lease.execute(std::move(statement), limits);
  if (!batch) {
    if (batch.error() == Errc::kResultTooLarge) pool.count(&PoolCounters::bytes_max_hit);
    co_return fail(std::move(batch).error());
  }
  if (!batch->more) co_return std::move(batch->rows);
  if (batch->rows.size() == limits.rows_max) {
    pool.count(&PoolCounters::rows_max_hit);
    co_return fail(Errc::kTooManyRows, "query");
  }
  pool.count(&PoolCounters::bytes_max_hit);
  co_return fail(Errc::kResultTooLarge, "query");
}

}  // namespace

Task<Result<Rows>> Database::query(Statement statement) {
  if (auto fits = check_size(pool_, statement); !fits) co_return fail(std::move(fits).error());
  auto lease = co_await pool_.acquire();
  if (!lease) co_return fail(std::move(lease).error());
  co_return co_await query_all(*lease, std::move(statement));
}

Task<Result<RowStream>> Database::stream(Statement statement, BatchLimits limits) {
  if (auto fits = check_size(pool_, statement); !fits) co_return fail(std::move(fits).error());
  auto lease = co_await pool_.acquire();
  if (!lease) co_return fail(std::move(lease).error());
  auto first = co_await lease->execute(std::move(statement), limits);
  if (!first) co_return fail(std::move(first).error());
  co_return RowStream(*std::move(lease), *std::move(first), limits);
}

Task<Result<Transaction>> Database::begin() {
  auto lease = co_await pool_.acquire();
  if (!lease) co_return fail(std::move(lease).error());
  Statement statement(dialect().begin);
  const auto begun = co_await lease->execute(std::move(statement), BatchLimits());
  if (!begun) co_return fail(begun.error());
  co_return Transaction(*std::move(lease));
}

Task<Result<void>> Database::check() {
  auto lease = co_await pool_.acquire();
  if (!lease) co_return fail(std::move(lease).error());
  co_return Result<void>();
}

Task<Result<Rows>> Transaction::query(Statement statement) {
  if (!lease_) co_return transaction_is_over();
  if (auto fits = check_size(lease_->pool(), statement); !fits) {
    co_return fail(std::move(fits).error());
  }
  auto rows = co_await query_all(*lease_, std::move(statement));
  if (is_undone_by(rows)) lease_.reset();
  co_return rows;
}

/// After a conflict a server has undone all of it, or only the statement, as it is configured: the
/// pool's reset makes one of the two.
bool Transaction::is_undone_by(const Result<Rows>& result) const noexcept {
  const Connection* const connection = lease_->connection();
  if (connection == nullptr || connection->state() == Connection::State::kBroken) return true;
  if (!connection->in_transaction()) return true;
  return !result && result.error() == Errc::kConflict;
}

Task<Result<void>> Transaction::commit() { return end("COMMIT"); }
Task<Result<void>> Transaction::rollback() { return end("ROLLBACK"); }

Task<Result<void>> Transaction::end(std::string_view sql) {
  if (!lease_) co_return transaction_is_over();
  Pool::Lease lease = *std::exchange(lease_, std::nullopt);
  Statement statement(sql);
  const auto done = co_await lease.execute(std::move(statement), BatchLimits());
  if (!done) co_return fail(done.error());
  co_return Result<void>();
}

Task<Result<Rows>> RowStream::next() {
  if (!batch_) {
    if (!lease_) co_return Rows();
    auto fetched = co_await lease_->fetch(limits_);
    if (!fetched) {
      lease_.reset();
      co_return fail(std::move(fetched).error());
    }
    batch_ = *std::move(fetched);
  }
  Batch batch = *std::exchange(batch_, std::nullopt);
  if (!batch.more) lease_.reset();
  co_return std::move(batch.rows);
}

}  // namespace ssx::db
