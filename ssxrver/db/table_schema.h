// The tables and columns that a request may name, and what a value of each column is.
//
// Thread: immutable once created; read from any thread
// Owner:  a StatementBuilder
// Life:   any
// Bounds: as many tables as are given; a name is 1 .. kNameBytesMax bytes of UTF-8 without NUL
//
//   const auto schema = DatabaseSchema::create({
//       {"note", {{"id", ColumnKind::kInteger}, {"text", ColumnKind::kText}}},
//   });
//
// By hand it shows as much of a database as somebody shall reach: a column that is not in it can be
// neither read nor changed. read_schema() (schema_reader.h) asks the database.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ssxrver/db/error.h"

namespace ssx::db {

/// What JSON gives for a value of a column. A database would turn one kind into another by rules
/// that few know (in MySQL every word is equal to the number 0), so nothing is turned here.
enum class ColumnKind : std::uint8_t {
  kInteger,  ///< a whole number; true and false are 1 and 0
  kReal,     ///< a number
  kDecimal,  ///< a number, or the text of one: "-12.50"
  kText,     ///< text; also dates, times, enumerations, JSON
  kBytes,    ///< text in Base64
  kAny,      ///< text, a number, true or false
  kOpaque,   ///< nothing: it can be selected, and compared with null
};

struct ColumnSchema {
  std::string name;
  ColumnKind kind = ColumnKind::kAny;
  bool operator==(const ColumnSchema&) const = default;
};

class TableSchema {
 public:
  TableSchema(std::string name, std::vector<ColumnSchema> columns);

  [[nodiscard]] const std::string& name() const noexcept { return name_; }
  [[nodiscard]] std::span<const ColumnSchema> columns() const noexcept { return columns_; }
  /// In exactly these letters; null: there is none.
  [[nodiscard]] const ColumnSchema* find(std::string_view column) const noexcept;
  /// Requires a column of this table.
  [[nodiscard]] std::size_t index_of(const ColumnSchema& column) const noexcept {
    return static_cast<std::size_t>(&column - columns_.data());
  }
  [[nodiscard]] std::vector<std::string_view> column_names() const;

 private:
  std::string name_;
  std::vector<ColumnSchema> columns_;
  std::vector<std::uint32_t> by_name_;  ///< their indexes, in the order of their names
};

class DatabaseSchema {
 public:
  static constexpr std::size_t kNameBytesMax = 256;

  /// kUnsupported: a name that is none, or that is there twice, or a table without a column.
  static Result<DatabaseSchema> create(std::vector<TableSchema> tables);

  /// In the order of their names.
  [[nodiscard]] std::span<const TableSchema> tables() const noexcept { return tables_; }
  /// In exactly these letters; null: there is none.
  [[nodiscard]] const TableSchema* find(std::string_view table) const noexcept;
  [[nodiscard]] std::vector<std::string_view> table_names() const;

 private:
  explicit DatabaseSchema(std::vector<TableSchema> tables) noexcept : tables_(std::move(tables)) {}

  std::vector<TableSchema> tables_;
};

}  // namespace ssx::db
