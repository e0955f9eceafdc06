// Asks a database what tables and columns it has.
//
// Thread: any loop
// Owner:  whoever awaits it gets a value
// Life:   the database outlives the Task
// Bounds: PoolOptions::rows_max columns
//
//   const std::vector<std::string> tables = {"movie", "ticket"};  // GCC 12: not in the call itself
//   auto schema = co_await read_schema(database, tables);
//   if (!schema) co_return fail(schema.error());
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "ssxrver/coro/task.h"
#include "ssxrver/db/database.h"
#include "ssxrver/db/table_schema.h"

namespace ssx::db {

/// The tables and views of the database that the connections have chosen: those named, or all.
/// kUnsupported: one that is named is not there, or its driver has no such list.
[[nodiscard]] Task<Result<DatabaseSchema>> read_schema(Database& database,
                                                       std::vector<std::string> tables = {});

/// By the declared type of a column: `data_type` of MySQL's catalogue, any text in SQLite.
[[nodiscard]] ColumnKind mysql_column_kind(std::string_view type);
[[nodiscard]] ColumnKind sqlite_column_kind(std::string_view type);

}  // namespace ssx::db
