// The condition of a request: `data` with `op`, `and`, `or` and `not`; all that is there must hold.
//
//   {"data": {"studio": 3, "seats": 40}, "op": ["=", ">="], "not": {"data": {"open": false}}}
//
// Thread: one
// Owner:  a function of the StatementBuilder
// Life:   one request
// Bounds: StatementLimits: conditions_max, depth_max, list_max, values_max
#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "ssxrver/db/comparison.h"
#include "ssxrver/db/error.h"
#include "ssxrver/db/request_place.h"
#include "ssxrver/db/statement_builder.h"
#include "ssxrver/db/statement_writer.h"
#include "ssxrver/db/table_schema.h"
#include "ssxrver/json/json.h"

namespace ssx::db::internal {

class ConditionReader {
 public:
  ConditionReader(const TableSchema& table, const StatementLimits& limits, StatementWriter& out)
      : table_(table), limits_(limits), out_(out) {}

  /// The members that make a condition.
  static std::span<const std::string_view> members() noexcept;
  [[nodiscard]] static bool has_condition(const json::Value& request) noexcept;

  /// Requires has_condition(). Other members are not looked at.
  [[nodiscard]] Result<void> read(const json::Value& condition, const Place& place) {
    return read_terms(condition, place, 0);
  }

 private:
  Result<void> read_terms(const json::Value& condition, const Place& place, std::size_t depth);
  Result<void> read_data(const json::Value& data, const json::Value* op, const Place& above);
  Result<void> read_comparison(const json::Member& member, const Operator& op, const Place& data);
  Result<void> read_group(const json::Value& group, Words between, const Place& place,
                          std::size_t depth);
  Result<void> read_nested(const json::Value& condition, const Place& place, std::size_t depth);

  const TableSchema& table_;
  const StatementLimits& limits_;
  StatementWriter& out_;
  std::size_t comparisons_ = 0;
};

/// The column of that name, or why there is none.
[[nodiscard]] Result<const ColumnSchema*> find_column(const TableSchema& table,
                                                      std::string_view name, const Place& place);

/// Every member of the object at `place` is one of `known`.
[[nodiscard]] Result<void> check_members(const json::Object& object,
                                         const std::vector<std::string_view>& known,
                                         const Place& place);

}  // namespace ssx::db::internal
