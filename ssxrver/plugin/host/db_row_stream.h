// A plugin's rows in batches: a result of any length.
//
// Thread: as HeldConnection
// Owner:  the plugin, from stream() to free_stream()
// Life:   its statement runs with the first next(); the connection goes back behind the last row
// Bounds: one lease of the instance (kRowStreams); BatchLimits for what is in memory
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "ssxrver/base/result.h"
#include "ssxrver/coro/task.h"
#include "ssxrver/db/database.h"
#include "ssxrver/db/statement.h"
#include "ssxrver/plugin/abi.h"
#include "ssxrver/plugin/host/held_connection.h"

namespace ssx::plugins {
class DbOutcome;
}

struct ssxrver_row_stream final : public ssx::plugins::HeldConnection {
 public:
  /// `database`: or the sentence that the first next() is told.
  ssxrver_row_stream(ssx::plugins::Instance& instance,
                     ssx::Expected<ssx::db::Database*, std::string> database,
                     ssx::db::Statement statement)
      : HeldConnection(instance, ssx::plugins::LeaseKind::kRowStreams),
        database_(std::move(database)),
        statement_(std::move(statement)) {}
  ~ssxrver_row_stream() override = default;

  /// After judge().
  ssx::Task<std::int32_t> next(ssx::plugins::DbOutcome& outcome);

 private:
  void close() noexcept override { rows_.reset(); }
  ssx::Task<ssx::db::Result<ssx::db::Rows>> next_batch();

  const ssx::Expected<ssx::db::Database*, std::string> database_;
  std::optional<ssx::db::Statement> statement_;  ///< until it runs
  std::optional<ssx::db::RowStream> rows_;
};
