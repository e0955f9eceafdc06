#include "ssxrver/plugin/host/db_transaction.h"

#include <utility>

#include "ssxrver/plugin/host/db_outcome.h"

ssx::Task<std::int32_t> ssxrver_transaction::query(ssx::db::Statement statement,
                                                   ssx::plugins::DbOutcome& outcome) {
  Use use(*this);
  const std::int32_t status = outcome.put(co_await open_->query(std::move(statement)));
  if (outcome.has_session()) use.go_on();
  co_return status;
}

ssx::Task<std::int32_t> ssxrver_transaction::commit(ssx::plugins::DbOutcome& outcome) {
  const Use use(*this);
  co_return outcome.put(co_await open_->commit());
}
