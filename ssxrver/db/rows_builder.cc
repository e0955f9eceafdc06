#include "ssxrver/db/rows_builder.h"

#include <limits>

namespace ssx::db {

RowsBuilder::RowsBuilder(const BatchLimits& limits, ColumnNames columns) : limits_(limits) {
  SSX_ASSERT(limits.rows_max > 0);
  SSX_ASSERT(limits.bytes_max <= std::numeric_limits<std::uint32_t>::max(), limits.bytes_max);
  rows_.columns_ = std::move(columns);
}

bool RowsBuilder::add(const ValueView& value) {
  const bool is_long = value.type() == Type::kText || value.type() == Type::kBytes;
  const std::size_t needs = sizeof(Rows::Cell) + (is_long ? value.text().size() : 0);
  const std::size_t used = rows_.byte_count();
  if (needs > limits_.bytes_max || used > limits_.bytes_max - needs) return false;
  Rows::Cell cell;
  cell.type = value.type();
  switch (value.type()) {
    case Type::kNull:
      break;
    case Type::kInt64:
      cell.int64 = value.int64();
      break;
    case Type::kUint64:
      cell.uint64 = value.uint64();
      break;
    case Type::kDouble:
      cell.real = value.real();
      break;
    case Type::kText:
    case Type::kBytes:
      cell.offset = rows_.text_.size();
      cell.size = static_cast<std::uint32_t>(value.text().size());
      rows_.text_.append(value.text());
      break;
  }
  rows_.cells_.push_back(cell);
  return true;
}

RowsBuilder::Added RowsBuilder::undo(std::size_t cells, std::size_t text) {
  rows_.cells_.resize(cells);
  rows_.text_.resize(text);
  return rows_.size_ == 0 ? Added::kTooLarge : Added::kFull;
}

}  // namespace ssx::db
