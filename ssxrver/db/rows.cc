#include "ssxrver/db/rows.h"

namespace ssx::db {

ssx::Result<Row> Rows::only() const {
  if (size_ != 1) return ssx::fail(make_error_code(Errc::kRowCount), "only");
  return (*this)[0];
}

ssx::Result<std::size_t> Rows::column(std::string_view name) const {
  const auto names = columns();
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (names[i] == name) return i;
  }
  return ssx::fail(make_error_code(Errc::kNoSuchColumn), "column");
}

ValueView Rows::view(const Cell& cell) const noexcept {
  const auto text = [this, &cell] {
    return std::string_view(text_).substr(cell.offset, cell.size);
  };
  switch (cell.type) {
    case Type::kNull:
      return {};
    case Type::kInt64:
      return ValueView::of_int64(cell.int64);
    case Type::kUint64:
      return ValueView::of_uint64(cell.uint64);
    case Type::kDouble:
      return ValueView::of_double(cell.real);
    case Type::kText:
      return ValueView::of_text(text());
    case Type::kBytes:
      return ValueView::of_bytes(as_bytes(text()));
  }
  return {};
}

}  // namespace ssx::db
