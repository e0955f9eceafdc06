// One comparison of a column: "name" LIKE ? ESCAPE ?. The operators that there are.
//
// Thread: one
// Owner:  -
// Life:   -
// Bounds: StatementLimits::list_max values of an `in`
#pragma once

#include <string_view>
#include <vector>

#include "ssxrver/db/error.h"
#include "ssxrver/db/request_place.h"
#include "ssxrver/db/statement_builder.h"
#include "ssxrver/db/statement_writer.h"
#include "ssxrver/db/table_schema.h"
#include "ssxrver/json/json.h"

namespace ssx::db::internal {

struct Operator;

/// "=", "!=", "like", "not in" ...: letters of either case, blanks around it. Null: there is none.
[[nodiscard]] const Operator* find_operator(std::string_view name) noexcept;
[[nodiscard]] const Operator& equality() noexcept;
[[nodiscard]] std::vector<std::string_view> operator_names();

/// `place` is that of the operand.
[[nodiscard]] Result<void> write_comparison(StatementWriter& out, const StatementLimits& limits,
                                            const ColumnSchema& column, const Operator& op,
                                            const json::Value& operand, const Place& place);

/// One value: null too. What binds a value without a comparison uses it as well.
[[nodiscard]] Result<void> bind_value(StatementWriter& out, const StatementLimits& limits,
                                      const ColumnSchema& column, const json::Value& value,
                                      const Place& place);

}  // namespace ssx::db::internal
