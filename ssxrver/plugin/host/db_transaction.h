// A transaction of a plugin's.
//
// Thread: as HeldConnection
// Owner:  the plugin, from transaction() to free_transaction(); before, the DbOutcome
// Life:   begin() .. commit(), or until it is rolled back: freed, cancelled, broken, loop ended
// Bounds: one lease of the instance (kTransactions)
#pragma once

#include <cstdint>
#include <optional>
#include <utility>

#include "ssxrver/coro/task.h"
#include "ssxrver/db/database.h"
#include "ssxrver/db/statement.h"
#include "ssxrver/plugin/abi.h"
#include "ssxrver/plugin/host/held_connection.h"

namespace ssx::plugins {
class DbOutcome;
}

struct ssxrver_transaction final : public ssx::plugins::HeldConnection {
 public:
  ssxrver_transaction(ssx::plugins::Instance& instance, ssx::db::Transaction open)
      : HeldConnection(instance, ssx::plugins::LeaseKind::kTransactions), open_(std::move(open)) {}
  ~ssxrver_transaction() override = default;

  // After judge().
  ssx::Task<std::int32_t> query(ssx::db::Statement statement, ssx::plugins::DbOutcome& outcome);
  ssx::Task<std::int32_t> commit(ssx::plugins::DbOutcome& outcome);

 private:
  void close() noexcept override { open_.reset(); }

  std::optional<ssx::db::Transaction> open_;
};
