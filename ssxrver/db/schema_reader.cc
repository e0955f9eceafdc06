#include "ssxrver/db/schema_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <initializer_list>
#include <utility>

#include "ssxrver/base/nearest.h"
#include "ssxrver/base/strings.h"

namespace ssx::db {
namespace {

// Table, column and type of every column: in the order of the tables, and of the columns in them.
constexpr std::string_view kMysqlColumns =
    "SELECT table_name, column_name, data_type FROM information_schema.columns "
    "WHERE table_schema = DATABASE() ORDER BY table_name, ordinal_position";
constexpr std::string_view kSqliteColumns =
    "SELECT t.name, c.name, c.type FROM sqlite_schema AS t JOIN pragma_table_info(t.name) AS c "
    "WHERE t.type IN ('table', 'view') AND t.name NOT LIKE 'sqlite~_%' ESCAPE '~' "
    "ORDER BY t.name, c.cid";

/// A catalogue, and how to understand its types.
struct Catalogue {
  std::string_view dialect;
  std::string_view columns;
  ColumnKind (*kind_of)(std::string_view type);
};
constexpr auto kCatalogues = std::to_array<Catalogue>({
    {"mysql", kMysqlColumns, &mysql_column_kind},
    {"sqlite", kSqliteColumns, &sqlite_column_kind},
});

struct TypeName {
  std::string_view name;
  ColumnKind kind;
};

/// MySQL's and MariaDB's; what is not here (points, polygons, vectors) has no form in JSON.
constexpr auto kMysqlTypes = std::to_array<TypeName>({
    {"bigint", ColumnKind::kInteger},    {"binary", ColumnKind::kBytes},
    {"bit", ColumnKind::kInteger},       {"blob", ColumnKind::kBytes},
    {"char", ColumnKind::kText},         {"date", ColumnKind::kText},
    {"datetime", ColumnKind::kText},     {"decimal", ColumnKind::kDecimal},
    {"double", ColumnKind::kReal},       {"enum", ColumnKind::kText},
    {"float", ColumnKind::kReal},        {"inet4", ColumnKind::kText},
    {"inet6", ColumnKind::kText},        {"int", ColumnKind::kInteger},
    {"json", ColumnKind::kText},         {"longblob", ColumnKind::kBytes},
    {"longtext", ColumnKind::kText},     {"mediumblob", ColumnKind::kBytes},
    {"mediumint", ColumnKind::kInteger}, {"mediumtext", ColumnKind::kText},
    {"set", ColumnKind::kText},          {"smallint", ColumnKind::kInteger},
    {"text", ColumnKind::kText},         {"time", ColumnKind::kText},
    {"timestamp", ColumnKind::kText},    {"tinyblob", ColumnKind::kBytes},
    {"tinyint", ColumnKind::kInteger},   {"tinytext", ColumnKind::kText},
    {"uuid", ColumnKind::kText},         {"varbinary", ColumnKind::kBytes},
    {"varchar", ColumnKind::kText},      {"year", ColumnKind::kInteger},
});

/// SQLite looks for these in a declared type, in this order (Datatypes in SQLite, 3.1). It holds
/// any value in any column, so a type that says nothing takes anything.
constexpr auto kSqliteTypes = std::to_array<TypeName>({
    {"int", ColumnKind::kInteger},
    {"char", ColumnKind::kText},
    {"clob", ColumnKind::kText},
    {"text", ColumnKind::kText},
    {"blob", ColumnKind::kBytes},
    {"real", ColumnKind::kReal},
    {"floa", ColumnKind::kReal},
    {"doub", ColumnKind::kReal},
    {"bool", ColumnKind::kInteger},
    {"decimal", ColumnKind::kDecimal},
});

std::string lowered(std::string_view text) {
  std::string lower(text);
  std::ranges::transform(lower, lower.begin(), [](char c) { return ascii_lower(c); });
  return lower;
}

Result<std::vector<TableSchema>> tables_of(const Rows& rows, const Catalogue& catalogue) {
  std::vector<TableSchema> tables;
  std::string name;
  std::vector<ColumnSchema> columns;
  const auto close = [&tables, &name, &columns] {
    if (!columns.empty()) tables.emplace_back(std::move(name), std::exchange(columns, {}));
  };
  for (const Row row : rows) {
    const auto table = row.get<std::string_view>(0);
    const auto column = row.get<std::string>(1);
    const auto type = row.get<std::string_view>(2);
    if (!table) return fail(table.error());
    if (!column) return fail(column.error());
    if (!type) return fail(type.error());
    if (*table != name) {
      close();
      name = *table;
    }
    columns.push_back({*column, catalogue.kind_of(*type)});
  }
  close();
  return tables;
}

/// Those of `names`; all, if there are none.
Result<std::vector<TableSchema>> chosen(std::vector<TableSchema> tables,
                                        const std::vector<std::string>& names) {
  if (names.empty()) return tables;
  std::vector<TableSchema> left;
  for (const std::string& name : names) {
    const auto place = std::ranges::find(tables, name, &TableSchema::name);
    if (place == tables.end()) {
      std::vector<std::string_view> known;
      for (const TableSchema& table : tables) known.emplace_back(table.name());
      const auto near = nearest(name, known);
      return fail(Errc::kUnsupported, "schema", 0,
                  fmt::format("the database has no table \"{}\"{}", name,
                              near.empty() ? "" : fmt::format("; did you mean \"{}\"?", near)));
    }
    left.push_back(*place);
  }
  return left;
}

}  // namespace

ColumnKind mysql_column_kind(std::string_view type) {
  const auto place = std::ranges::find(kMysqlTypes, lowered(type), &TypeName::name);
  return place == kMysqlTypes.end() ? ColumnKind::kOpaque : place->kind;
}

ColumnKind sqlite_column_kind(std::string_view type) {
  const std::string lower = lowered(type);
  const auto place = std::ranges::find_if(
      kSqliteTypes, [&lower](const TypeName& each) { return lower.find(each.name) != lower.npos; });
  return place == kSqliteTypes.end() ? ColumnKind::kAny : place->kind;
}

Task<Result<DatabaseSchema>> read_schema(Database& database, std::vector<std::string> tables) {
  const auto* catalogue =
      std::ranges::find(kCatalogues, database.dialect().name, &Catalogue::dialect);
  if (catalogue == kCatalogues.end()) co_return fail(Errc::kUnsupported, "schema");
  const auto rows = co_await database.query(catalogue->columns);
  if (!rows) co_return fail(rows.error());
  auto found = tables_of(*rows, *catalogue);
  if (!found) co_return fail(std::move(found).error());
  auto left = chosen(*std::move(found), tables);
  if (!left) co_return fail(std::move(left).error());
  co_return DatabaseSchema::create(*std::move(left));
}

}  // namespace ssx::db
