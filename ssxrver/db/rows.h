// What a statement gave: rows of named columns, how many rows it changed, the id it made.
//
// Thread: a value; may be read from several threads
// Owner:  whoever holds it; Row and what get<std::string_view>() gives look into it
// Life:   a Row and its views live as long as the Rows they are of, which must not move meanwhile
// Bounds: PoolOptions::rows_max and bytes_max. Two arrays and the names, however many rows
//
//   for (const Row row : *rows) {
//     const auto id = row.get<std::int64_t>("id");          // Result: kNoSuchColumn, kIsNull, ...
//     const auto name = row.get<std::string_view>(1);
//     const auto note = row.get<std::optional<std::string>>("note");
//   }
//   const auto all = rows->as<std::tuple<std::int64_t, std::string>>();   // typed_rows.h
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ssxrver/base/assert.h"
#include "ssxrver/base/result.h"
#include "ssxrver/db/error.h"
#include "ssxrver/db/value.h"

namespace ssx::db {

class Row;
class RowsBuilder;

/// Shared by the batches of one result.
using ColumnNames = std::shared_ptr<const std::vector<std::string>>;

class Rows {
 public:
  class Iterator;

  Rows() = default;

  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] bool empty() const noexcept { return size_ == 0; }
  /// Requires index < size().
  [[nodiscard]] Row operator[](std::size_t index) const noexcept;
  [[nodiscard]] Iterator begin() const noexcept;
  [[nodiscard]] Iterator end() const noexcept;
  /// The one row of a query that has one: kRowCount when there is none or another.
  [[nodiscard]] ssx::Result<Row> only() const;

  /// The names, in order; none for a statement that gives no rows.
  [[nodiscard]] std::span<const std::string> columns() const noexcept {
    return columns_ == nullptr ? std::span<const std::string>() : *columns_;
  }
  /// The first column of that name, in exactly these letters; kNoSuchColumn.
  [[nodiscard]] ssx::Result<std::size_t> column(std::string_view name) const;

  /// Rows that the statement inserted, changed or deleted.
  [[nodiscard]] std::uint64_t affected() const noexcept { return affected_; }
  /// The id that the database made for the row inserted last; 0: none, or one above 2^63 - 1.
  [[nodiscard]] std::int64_t last_insert_id() const noexcept { return last_insert_id_; }

  /// The memory of the cells, as bytes_max counts it.
  [[nodiscard]] std::size_t byte_count() const noexcept {
    return cells_.size() * sizeof(Cell) + text_.size();
  }

  /// All rows as Ts: a tuple, or a struct that names its columns (typed_rows.h).
  template <class T>
  [[nodiscard]] ssx::Result<std::vector<T>> as() const;

 private:
  friend class Row;
  friend class RowsBuilder;

  /// A number, or where in text_ the bytes stand.
  struct Cell {
    union {
      std::int64_t int64 = 0;
      std::uint64_t uint64;
      double real;
      std::size_t offset;
    };
    std::uint32_t size = 0;
    Type type = Type::kNull;
  };
  static_assert(sizeof(Cell) == 16);

  [[nodiscard]] ValueView view(const Cell& cell) const noexcept;

  ColumnNames columns_;
  std::size_t size_ = 0;
  std::vector<Cell> cells_;  ///< row by row
  std::string text_;         ///< of all cells, one behind the other
  std::uint64_t affected_ = 0;
  std::int64_t last_insert_id_ = 0;
};

class Row {
 public:
  [[nodiscard]] std::size_t size() const noexcept { return rows_->columns().size(); }
  [[nodiscard]] std::span<const std::string> columns() const noexcept { return rows_->columns(); }
  /// Requires column < size().
  [[nodiscard]] ValueView operator[](std::size_t column) const noexcept {
    SSX_ASSERT(column < size(), column, size());
    return rows_->view(rows_->cells_[index_ * size() + column]);
  }
  template <class T>
  [[nodiscard]] ssx::Result<T> get(std::size_t column) const {
    if (column >= size()) return ssx::fail(make_error_code(Errc::kNoSuchColumn), "get");
    return (*this)[column].get<T>();
  }
  template <class T>
  [[nodiscard]] ssx::Result<T> get(std::string_view name) const {
    const auto column = rows_->column(name);
    if (!column) return ssx::fail(column.error());
    return (*this)[*column].get<T>();
  }
  /// As a tuple, column by column, or as a struct that names its columns (typed_rows.h).
  template <class T>
  [[nodiscard]] ssx::Result<T> as() const;

 private:
  friend class Rows;
  Row(const Rows& rows, std::size_t index) noexcept : rows_(&rows), index_(index) {}

  const Rows* rows_;
  std::size_t index_;
};

class Rows::Iterator {
 public:
  using value_type = Row;
  using difference_type = std::ptrdiff_t;

  Iterator() noexcept = default;
  Row operator*() const noexcept { return (*rows_)[index_]; }
  Iterator& operator++() noexcept {
    ++index_;
    return *this;
  }
  Iterator operator++(int) noexcept {
    Iterator before = *this;
    ++index_;
    return before;
  }
  bool operator==(const Iterator&) const = default;

 private:
  friend class Rows;
  Iterator(const Rows& rows, std::size_t index) noexcept : rows_(&rows), index_(index) {}

  const Rows* rows_ = nullptr;
  std::size_t index_ = 0;
};
static_assert(std::forward_iterator<Rows::Iterator>);

inline Row Rows::operator[](std::size_t index) const noexcept {
  SSX_ASSERT(index < size_, index, size_);
  return {*this, index};
}
inline Rows::Iterator Rows::begin() const noexcept { return {*this, 0}; }
inline Rows::Iterator Rows::end() const noexcept { return {*this, size_}; }

}  // namespace ssx::db
