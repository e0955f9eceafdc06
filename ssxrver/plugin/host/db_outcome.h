// How something that a plugin asked of a database has ended, for it to take.
//
// Thread: the loop of the wait
// Owner:  the ssxrver_wait; what the plugin takes is the plugin's
// Life:   from the call that asks until the plugin has been told
// Bounds: one result
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <variant>

#include "ssxrver/db/error.h"
#include "ssxrver/db/rows.h"
#include "ssxrver/plugin/abi.h"
#include "ssxrver/plugin/host/db_error.h"
#include "ssxrver/plugin/host/db_transaction.h"
#include "ssxrver/plugin/host/instance.h"

struct ssxrver_rows {
  explicit ssxrver_rows(ssx::db::Rows given) noexcept : rows(std::move(given)) {}
  const ssx::db::Rows rows;
};

namespace ssx::plugins {

class DbOutcome {
 public:
  explicit DbOutcome(Instance& instance) noexcept : instance_(instance) {}
  DbOutcome(const DbOutcome&) = delete;
  DbOutcome& operator=(const DbOutcome&) = delete;

  // What came; each gives the status that the waiter is told.
  std::int32_t put(db::Result<db::Rows> rows);
  std::int32_t put(db::Result<db::Transaction> transaction);
  std::int32_t put(const db::Result<void>& end);
  std::int32_t fail(DbError error);
  /// The loop has ended first.
  void close();

  /// The transaction or stream goes on.
  [[nodiscard]] bool has_session() const noexcept { return !error_ || !is_end_of_session(*error_); }

  // For the plugin. Null, and why: it has failed, has brought something else, or it was taken.
  [[nodiscard]] ssxrver_rows* take_rows(ssxrver_error* error);
  [[nodiscard]] ssxrver_transaction* take_transaction(ssxrver_error* error);
  void say_why(ssxrver_error* error) const;

 private:
  template <class T>
  [[nodiscard]] T* take(ssxrver_error* error);

  Instance& instance_;
  std::optional<DbError> error_;
  std::variant<std::monostate, std::unique_ptr<ssxrver_rows>, std::unique_ptr<ssxrver_transaction>>
      what_;
};

}  // namespace ssx::plugins
