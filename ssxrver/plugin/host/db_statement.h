// A statement and its values, as a plugin gives them, as one of db. (i)
//
// Thread: any
// Owner:  -
// Life:   a copy: what the plugin gave may go
// Bounds: PoolOptions::statement_bytes_max, which the Database looks at
#pragma once

#include <cstddef>
#include <optional>

#include "ssxrver/db/statement.h"
#include "ssxrver/plugin/abi.h"

namespace ssx::plugins {

/// Nothing: a kind of value that there is none of, or bytes that are nowhere.
[[nodiscard]] std::optional<db::Statement> to_statement(ssxrver_text sql,
                                                        const ssxrver_value* values,
                                                        std::size_t value_count);

}  // namespace ssx::plugins
