#include "ssxrver/db/table_schema.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "ssxrver/json/json.h"

namespace ssx::db {
namespace {

bool is_name(std::string_view name) {
  return !name.empty() && name.size() <= DatabaseSchema::kNameBytesMax &&
         name.find('\0') == name.npos && json::is_utf8(name);
}

UnexpectedOf<Failure> refuse(const std::string& text) {
  return fail(Errc::kUnsupported, "schema", 0, text);
}

Result<void> check_name(std::string_view what, std::string_view name) {
  if (is_name(name)) return {};
  return refuse(fmt::format("{} cannot be the name of a {}: expected 1 to {} bytes of UTF-8",
                            json::show(name), what, DatabaseSchema::kNameBytesMax));
}

Result<void> check(const TableSchema& table) {
  if (auto end = check_name("table", table.name()); !end) return end;
  if (table.columns().empty()) {
    return refuse(fmt::format("the table {} has no column", json::show(table.name())));
  }
  for (const ColumnSchema& column : table.columns()) {
    if (auto end = check_name("column", column.name); !end) return end;
    if (table.find(column.name) != &column) {
      return refuse(fmt::format("the table {} has the column {} twice", json::show(table.name()),
                                json::show(column.name)));
    }
  }
  return {};
}

}  // namespace

TableSchema::TableSchema(std::string name, std::vector<ColumnSchema> columns)
    : name_(std::move(name)), columns_(std::move(columns)), by_name_(columns_.size()) {
  std::iota(by_name_.begin(), by_name_.end(), 0U);
  std::ranges::stable_sort(by_name_, {}, [this](std::uint32_t index) -> const std::string& {
    return columns_[index].name;
  });
}

const ColumnSchema* TableSchema::find(std::string_view column) const noexcept {
  const auto name_of = [this](std::uint32_t index) -> std::string_view {
    return columns_[index].name;
  };
  const auto place = std::ranges::lower_bound(by_name_, column, {}, name_of);
  const bool found = place != by_name_.end() && name_of(*place) == column;
  return found ? &columns_[*place] : nullptr;
}

std::vector<std::string_view> TableSchema::column_names() const {
  std::vector<std::string_view> names;
  names.reserve(columns_.size());
  for (const ColumnSchema& column : columns_) names.emplace_back(column.name);
  return names;
}

Result<DatabaseSchema> DatabaseSchema::create(std::vector<TableSchema> tables) {
  std::ranges::sort(tables, {}, &TableSchema::name);
  for (const TableSchema& table : tables) {
    if (auto end = check(table); !end) return fail(std::move(end).error());
  }
  const auto twice = std::ranges::adjacent_find(tables, {}, &TableSchema::name);
  if (twice != tables.end()) {
    return refuse(fmt::format("the table {} is there twice", json::show(twice->name())));
  }
  return DatabaseSchema(std::move(tables));
}

const TableSchema* DatabaseSchema::find(std::string_view table) const noexcept {
  const auto place = std::ranges::lower_bound(
      tables_, table, {}, [](const TableSchema& each) -> std::string_view { return each.name(); });
  return place != tables_.end() && place->name() == table ? &*place : nullptr;
}

std::vector<std::string_view> DatabaseSchema::table_names() const {
  std::vector<std::string_view> names;
  names.reserve(tables_.size());
  for (const TableSchema& table : tables_) names.emplace_back(table.name());
  return names;
}

}  // namespace ssx::db
