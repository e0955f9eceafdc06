// A value of JSON as a value of a column, if it is one.
//
// Thread: pure functions
// Owner:  -
// Life:   -
// Bounds: as long as what is given
#pragma once

#include <optional>
#include <string_view>

#include "ssxrver/db/table_schema.h"
#include "ssxrver/db/value.h"
#include "ssxrver/json/json.h"

namespace ssx::db::internal {

/// None: it is of another kind. Null is not for this to judge, and is none as well.
[[nodiscard]] std::optional<Value> column_value(const json::Value& given, ColumnKind kind);

/// "a whole number", for the sentence "expected ...".
[[nodiscard]] std::string_view expectation(ColumnKind kind) noexcept;

}  // namespace ssx::db::internal
