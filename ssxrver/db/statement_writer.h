// Writes the text of a statement and gathers its parameters. There is no way in for a text that
// somebody has sent: words are literals of our source, names are those of a schema.
//
// Thread: one
// Owner:  a function of the StatementBuilder
// Life:   one statement
// Bounds: values_max parameters
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include "ssxrver/db/driver.h"
#include "ssxrver/db/statement.h"
#include "ssxrver/db/table_schema.h"

namespace ssx::db::internal {

/// Words of SQL, known when this was compiled.
class Words {
 public:
  consteval Words() noexcept = default;
  template <std::size_t N>
  consteval Words(const char (&text)[N]) noexcept : text_(text, N - 1) {}  // NOLINT: as a literal
  [[nodiscard]] constexpr std::string_view text() const noexcept { return text_; }

 private:
  std::string_view text_;
};

class StatementWriter {
 public:
  StatementWriter(const Dialect& dialect, std::size_t values_max) noexcept
      : quote_(dialect.identifier_quote), values_max_(values_max) {}

  void add(Words words) { sql_ += words.text(); }
  void add(const TableSchema& table) { add_name(table.name()); }
  void add(const ColumnSchema& column) { add_name(column.name); }
  /// One place more, and its value; false: values_max is reached.
  [[nodiscard]] bool bind(Value value) {
    if (values_.size() == values_max_) return false;
    sql_ += '?';
    values_.push_back(std::move(value));
    return true;
  }
  [[nodiscard]] Statement take() { return {std::move(sql_), std::move(values_)}; }

 private:
  void add_name(std::string_view name) {
    sql_ += quote_;
    for (const char c : name) {
      if (c == quote_) sql_ += quote_;
      sql_ += c;
    }
    sql_ += quote_;
  }

  const char quote_;
  const std::size_t values_max_;
  std::string sql_;
  Values values_;
};

}  // namespace ssx::db::internal
