#include "ssxrver/plugin/host/db_row_stream.h"

#include <utility>

#include "ssxrver/plugin/host/db_outcome.h"

ssx::Task<ssx::db::Result<ssx::db::Rows>> ssxrver_row_stream::next_batch() {
  if (statement_) {
    ssx::db::Statement statement = *std::exchange(statement_, std::nullopt);
    auto opened = co_await (*database_)->stream(std::move(statement));
    if (!opened) co_return ssx::db::fail(std::move(opened).error());
    rows_ = *std::move(opened);
  }
  co_return co_await rows_->next();
}

ssx::Task<std::int32_t> ssxrver_row_stream::next(ssx::plugins::DbOutcome& outcome) {
  Use use(*this);
  if (!database_) {
    co_return outcome.fail({SSXRVER_NOT_FOUND, 0, database_.error()});
  }
  const std::int32_t status = outcome.put(co_await next_batch());
  if (status == SSXRVER_OK) use.go_on();
  co_return status;
}
