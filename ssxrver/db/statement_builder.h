// Statements from JSON: select, insert, update and delete in the shape {tableName, what, op, data,
// set, limit}. The names in it are looked up in a schema; the values become parameters.
//
// Thread: immutable once created; any thread
// Owner:  whoever serves the requests
// Life:   the texts of the Dialect outlive it (those of a Driver are literals)
// Bounds: StatementLimits
//
//   const auto builder = StatementBuilder::create(*schema, database.dialect());
//   // {"tableName": "movie", "what": ["id", "name"], "data": {"studio": 3, "name": "B%"},
//   //  "op": ["=", "like"], "order": ["name"], "limit": 20}
//   auto statement = builder->select(request);
//   if (!statement) co_return answer_for(statement.error());    // "/data/nmae: no column ..."
//   const auto rows = co_await database.query(*std::move(statement));
//
// The text of a statement consists of words that stand in our source, of names that stand in the
// schema, quoted, and of "?". Which kind of statement it is the program says, not the request.
// The guide, docs/guide/statement_builder.md, has every member, operator and kind of value.
#pragma once

#include <cstddef>
#include <utility>

#include "ssxrver/db/driver.h"
#include "ssxrver/db/error.h"
#include "ssxrver/db/statement.h"
#include "ssxrver/db/table_schema.h"
#include "ssxrver/json/json.h"

namespace ssx::db {

/// How much one request may ask for; more is kRequestTooLarge. The upper ends are what SQLite and
/// MySQL take.
struct StatementLimits {
  /// 1 .. 1000 columns in `what`, `order` or `set`, or in a row to insert. Tables are narrower.
  std::size_t columns_max = 128;
  std::size_t conditions_max = 64;  ///< 1 .. 500 comparisons; forms of people have a few
  std::size_t depth_max = 8;        ///< 0 .. 32 levels of `and`, `or` and `not`
  std::size_t list_max = 1000;      ///< 1 .. 65535 values of one `in`
  std::size_t rows_max = 1000;      ///< 1 .. 65535 rows to insert
  std::size_t values_max = 32766;  ///< 1 .. 65535 parameters in all; SQLite as it comes takes 32766
  bool operator==(const StatementLimits&) const = default;
};

class StatementBuilder {
 public:
  /// kOutOfRange: a limit is not in its range; the text says which.
  static Result<StatementBuilder> create(DatabaseSchema schema, const Dialect& dialect,
                                         const StatementLimits& limits = {});

  // Each fails with kInvalidRequest or kRequestTooLarge; the text says where in the request, as a
  // JSON pointer, what is wrong there, what was expected, and the nearest name that there is.

  [[nodiscard]] Result<Statement> select(const json::Value& request) const;
  [[nodiscard]] Result<Statement> insert(const json::Value& request) const;
  /// Without a condition it needs "all": true.
  [[nodiscard]] Result<Statement> update(const json::Value& request) const;
  /// Deletes; the same holds.
  [[nodiscard]] Result<Statement> remove(const json::Value& request) const;

  [[nodiscard]] const DatabaseSchema& schema() const noexcept { return schema_; }
  [[nodiscard]] const StatementLimits& limits() const noexcept { return limits_; }

 private:
  StatementBuilder(DatabaseSchema schema, const Dialect& dialect, const StatementLimits& limits)
      : schema_(std::move(schema)), dialect_(dialect), limits_(limits) {}

  DatabaseSchema schema_;
  Dialect dialect_;
  StatementLimits limits_;
};

}  // namespace ssx::db
