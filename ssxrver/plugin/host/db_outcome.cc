#include "ssxrver/plugin/host/db_outcome.h"

#include <utility>

#include "ssxrver/plugin/host/border.h"

namespace ssx::plugins {

std::int32_t DbOutcome::put(db::Result<db::Rows> rows) {
  if (!rows) return fail(to_border(rows.error()));
  what_ = std::make_unique<ssxrver_rows>(*std::move(rows));
  return SSXRVER_OK;
}

std::int32_t DbOutcome::put(db::Result<db::Transaction> transaction) {
  if (!transaction) return fail(to_border(transaction.error()));
  what_ = std::make_unique<ssxrver_transaction>(instance_, *std::move(transaction));
  return SSXRVER_OK;
}

std::int32_t DbOutcome::put(const db::Result<void>& end) {
  return end ? SSXRVER_OK : fail(to_border(end.error()));
}

std::int32_t DbOutcome::fail(DbError error) {
  instance_.counters().add(&Counters::query_failures);
  error_ = std::move(error);
  return error_->status;
}

void DbOutcome::close() {
  what_ = std::monostate();
  error_ = DbError{SSXRVER_CLOSED, 0, "the loop has ended"};
}

template <class T>
T* DbOutcome::take(ssxrver_error* error) {
  auto* const kept = std::get_if<std::unique_ptr<T>>(&what_);
  if (kept != nullptr && *kept != nullptr) return kept->release();
  say_why(error);
  return nullptr;
}

ssxrver_rows* DbOutcome::take_rows(ssxrver_error* error) { return take<ssxrver_rows>(error); }

ssxrver_transaction* DbOutcome::take_transaction(ssxrver_error* error) {
  return take<ssxrver_transaction>(error);
}

void DbOutcome::say_why(ssxrver_error* error) const {
  if (error_) {
    (void)say(error, error_->code, error_->sentence);
  } else {
    (void)say(error, 0, "it has brought nothing of that kind, or that was taken");
  }
}

}  // namespace ssx::plugins
