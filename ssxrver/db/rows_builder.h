// Makes Rows, for drivers: row by row, up to the limits of a batch.
//
// Thread: one thread at a time
// Owner:  a driver, for one batch
// Life:   from its columns, by way of add_row(), to take()
// Bounds: BatchLimits
//
//   RowsBuilder builder(limits, names);
//   while (step() == kRow) {
//     switch (builder.add_row([&](std::size_t column) { return cell(column); })) { ... }
//   }
//   return Batch(builder.take(), more);
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include "ssxrver/db/rows.h"

namespace ssx::db {

struct BatchLimits {
  std::size_t rows_max = 1000;        ///< at least 1
  std::size_t bytes_max = 64 * 1024;  ///< 16 per cell, and its text or bytes
  bool operator==(const BatchLimits&) const = default;
};

class RowsBuilder {
 public:
  enum class Added : std::uint8_t {
    kTaken,
    kFull,      ///< not taken: it belongs to the next batch
    kTooLarge,  ///< not taken: this one row is more than bytes_max
  };

  /// `columns`: null for a statement that gives no rows.
  explicit RowsBuilder(const BatchLimits& limits, ColumnNames columns = nullptr);

  /// `cell(i)` gives the ValueView of a column. All of a row is taken, or nothing.
  template <class CellAt>
  [[nodiscard]] Added add_row(const CellAt& cell_at) {
    if (rows_.size_ == limits_.rows_max) return Added::kFull;
    const std::size_t cells = rows_.cells_.size();
    const std::size_t text = rows_.text_.size();
    for (std::size_t i = 0; i < rows_.columns().size(); ++i) {
      if (!add(cell_at(i))) return undo(cells, text);
    }
    ++rows_.size_;
    return Added::kTaken;
  }
  [[nodiscard]] std::size_t size() const noexcept { return rows_.size_; }

  void set_affected(std::uint64_t rows) noexcept { rows_.affected_ = rows; }
  void set_last_insert_id(std::int64_t id) noexcept { rows_.last_insert_id_ = id; }
  [[nodiscard]] Rows take() { return std::move(rows_); }

 private:
  bool add(const ValueView& value);
  Added undo(std::size_t cells, std::size_t text);

  const BatchLimits limits_;
  Rows rows_;
};

}  // namespace ssx::db
