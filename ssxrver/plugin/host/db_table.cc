// The interface "ssxrver.db": queries, transactions and streams of rows.
#include <memory>
#include <utility>

#include "ssxrver/db/database.h"
#include "ssxrver/plugin/host/db_outcome.h"
#include "ssxrver/plugin/host/db_row_stream.h"
#include "ssxrver/plugin/host/db_statement.h"
#include "ssxrver/plugin/host/db_transaction.h"
#include "ssxrver/plugin/host/instance.h"
#include "ssxrver/plugin/host/tables.h"
#include "ssxrver/plugin/host/wait.h"

namespace ssx::plugins {
namespace {

using Work = Task<std::int32_t>;

Instance& instance_of(ssxrver_context* context) noexcept {
  return *static_cast<Instance*>(context);
}

std::int32_t judge(ssxrver_context* context) noexcept {
  if (context == nullptr) return SSXRVER_INVALID;
  const bool is_on_loop = instance_of(context).environment().current_worker().has_value();
  return is_on_loop ? SSXRVER_OK : SSXRVER_WRONG_THREAD;
}

std::int32_t wait_for(Instance& instance, Work work, std::unique_ptr<DbOutcome> outcome,
                      ssxrver_waiter waiter, ssxrver_wait** wait) {
  instance.counters().add(&Counters::queries);
  return ssxrver_wait::begin_later(std::move(work), std::move(outcome), instance, waiter, wait);
}

// ---- what is asked of a database

Work refuse(std::string sentence, DbOutcome& outcome) {
  co_return outcome.fail({SSXRVER_NOT_FOUND, 0, std::move(sentence)});
}

Work run(db::Database& database, db::Statement statement, DbOutcome& outcome) {
  co_return outcome.put(co_await database.query(std::move(statement)));
}

Work open(db::Database& database, DbOutcome& outcome) {
  co_return outcome.put(co_await database.begin());
}

std::int32_t query(ssxrver_context* context, ssxrver_text database,
                   ssxrver_transaction* transaction, ssxrver_text sql, const ssxrver_value* values,
                   std::size_t value_count, ssxrver_waiter waiter, ssxrver_wait** wait) noexcept {
  if (const std::int32_t status = judge(context); status != SSXRVER_OK) return status;
  Instance& instance = instance_of(context);
  auto statement = to_statement(sql, values, value_count);
  if (!statement) return SSXRVER_INVALID;
  auto outcome = std::make_unique<DbOutcome>(instance);
  if (transaction != nullptr) {
    if (const std::int32_t status = transaction->judge(instance); status != SSXRVER_OK)
      return status;
    Work work = transaction->query(*std::move(statement), *outcome);
    return wait_for(instance, std::move(work), std::move(outcome), waiter, wait);
  }
  const auto found = instance.environment().find_database(to_view(database));
  Work work =
      found ? run(**found, *std::move(statement), *outcome) : refuse(found.error(), *outcome);
  return wait_for(instance, std::move(work), std::move(outcome), waiter, wait);
}

std::int32_t begin(ssxrver_context* context, ssxrver_text database, ssxrver_waiter waiter,
                   ssxrver_wait** wait) noexcept {
  if (const std::int32_t status = judge(context); status != SSXRVER_OK) return status;
  Instance& instance = instance_of(context);
  auto outcome = std::make_unique<DbOutcome>(instance);
  const auto found = instance.environment().find_database(to_view(database));
  Work work = found ? open(**found, *outcome) : refuse(found.error(), *outcome);
  return wait_for(instance, std::move(work), std::move(outcome), waiter, wait);
}

std::int32_t commit(ssxrver_transaction* transaction, ssxrver_waiter waiter,
                    ssxrver_wait** wait) noexcept {
  if (transaction == nullptr) return SSXRVER_INVALID;
  Instance& instance = transaction->instance();
  if (const std::int32_t status = transaction->judge(instance); status != SSXRVER_OK) return status;
  auto outcome = std::make_unique<DbOutcome>(instance);
  Work work = transaction->commit(*outcome);
  return wait_for(instance, std::move(work), std::move(outcome), waiter, wait);
}

void free_transaction(ssxrver_transaction* transaction) noexcept {
  if (transaction != nullptr) transaction->free();
}

std::int32_t stream(ssxrver_context* context, ssxrver_text database, ssxrver_text sql,
                    const ssxrver_value* values, std::size_t value_count,
                    ssxrver_row_stream** stream) noexcept {
  if (const std::int32_t status = judge(context); status != SSXRVER_OK) return status;
  auto statement = to_statement(sql, values, value_count);
  if (!statement || stream == nullptr) return SSXRVER_INVALID;
  Instance& instance = instance_of(context);
  auto found = instance.environment().find_database(to_view(database));
  *stream = std::make_unique<ssxrver_row_stream>(instance, std::move(found), *std::move(statement))
                .release();
  return SSXRVER_OK;
}

std::int32_t next(ssxrver_row_stream* stream, ssxrver_waiter waiter, ssxrver_wait** wait) noexcept {
  if (stream == nullptr) return SSXRVER_INVALID;
  Instance& instance = stream->instance();
  if (const std::int32_t status = stream->judge(instance); status != SSXRVER_OK) return status;
  auto outcome = std::make_unique<DbOutcome>(instance);
  Work work = stream->next(*outcome);
  return wait_for(instance, std::move(work), std::move(outcome), waiter, wait);
}

void free_stream(ssxrver_row_stream* stream) noexcept {
  if (stream != nullptr) stream->free();
}

// ---- what has come

/// Null, and why: nothing of a database has ended here.
DbOutcome* outcome_of(ssxrver_wait* wait, ssxrver_error* error) noexcept {
  DbOutcome* const outcome = wait == nullptr ? nullptr : wait->outcome();
  if (outcome == nullptr) (void)say(error, 0, "no query that has ended");
  return outcome;
}

ssxrver_rows* rows(ssxrver_wait* wait, ssxrver_error* error) noexcept {
  DbOutcome* const outcome = outcome_of(wait, error);
  return outcome == nullptr ? nullptr : outcome->take_rows(error);
}

ssxrver_transaction* transaction(ssxrver_wait* wait, ssxrver_error* error) noexcept {
  DbOutcome* const outcome = outcome_of(wait, error);
  return outcome == nullptr ? nullptr : outcome->take_transaction(error);
}

void why(ssxrver_wait* wait, ssxrver_error* error) noexcept {
  if (const DbOutcome* const outcome = outcome_of(wait, error)) outcome->say_why(error);
}

// ---- rows

std::size_t row_count(const ssxrver_rows* rows) noexcept {
  return rows == nullptr ? 0 : rows->rows.size();
}

std::size_t column_count(const ssxrver_rows* rows) noexcept {
  return rows == nullptr ? 0 : rows->rows.columns().size();
}

ssxrver_text column_name(const ssxrver_rows* rows, std::size_t column) noexcept {
  if (column >= column_count(rows)) return {};
  return to_text(rows->rows.columns()[column]);
}

ssxrver_value to_border(const db::ValueView& cell) noexcept {
  ssxrver_value value{};
  switch (cell.type()) {
    case db::Type::kNull:
      break;
    case db::Type::kInt64:
      value.kind = SSXRVER_INT;
      value.number.integer = cell.int64();
      break;
    case db::Type::kUint64:
      value.kind = SSXRVER_UINT;
      value.number.whole = cell.uint64();
      break;
    case db::Type::kDouble:
      value.kind = SSXRVER_REAL;
      value.number.real = cell.real();
      break;
    case db::Type::kText:
    case db::Type::kBytes:
      value.kind = cell.type() == db::Type::kText ? SSXRVER_TEXT : SSXRVER_BYTES;
      value.text = to_text(cell.text());
      break;
  }
  return value;
}

void value(const ssxrver_rows* rows, std::size_t row, std::size_t column,
           ssxrver_value* value) noexcept {
  if (value == nullptr) return;
  const bool is_there = row < row_count(rows) && column < column_count(rows);
  *value = is_there ? to_border(rows->rows[row][column]) : ssxrver_value{};
}

std::uint64_t affected(const ssxrver_rows* rows) noexcept {
  return rows == nullptr ? 0 : rows->rows.affected();
}

std::uint64_t last_insert_id(const ssxrver_rows* rows) noexcept {
  return rows == nullptr ? 0 : static_cast<std::uint64_t>(rows->rows.last_insert_id());
}

void free_rows(ssxrver_rows* rows) noexcept { delete rows; }

}  // namespace

const ssxrver_db kDbTable = {.size = sizeof(ssxrver_db),
                             .query = &query,
                             .rows = &rows,
                             .row_count = &row_count,
                             .column_count = &column_count,
                             .column_name = &column_name,
                             .value = &value,
                             .affected = &affected,
                             .last_insert_id = &last_insert_id,
                             .free_rows = &free_rows,
                             .begin = &begin,
                             .transaction = &transaction,
                             .commit = &commit,
                             .free_transaction = &free_transaction,
                             .why = &why,
                             .stream = &stream,
                             .next = &next,
                             .free_stream = &free_stream};

}  // namespace ssx::plugins
