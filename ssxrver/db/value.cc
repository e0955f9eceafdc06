#include "ssxrver/db/value.h"

namespace ssx::db {
namespace {

/// Doubles hold every integer up to here.
constexpr std::int64_t kExactMax = std::int64_t{1} << std::numeric_limits<double>::digits;

}  // namespace

ssx::Result<double> ValueView::get_double() const {
  switch (type_) {
    case Type::kDouble:
      return double_;
    case Type::kInt64:
      if (int64_ >= -kExactMax && int64_ <= kExactMax) return static_cast<double>(int64_);
      return ssx::fail(make_error_code(Errc::kOutOfRange), "get");
    case Type::kUint64:
      if (uint64_ <= static_cast<std::uint64_t>(kExactMax)) return static_cast<double>(uint64_);
      return ssx::fail(make_error_code(Errc::kOutOfRange), "get");
    case Type::kNull:
    case Type::kText:
    case Type::kBytes:
      break;
  }
  return ssx::fail(make_error_code(Errc::kWrongType), "get");
}

bool operator==(const ValueView& a, const ValueView& b) noexcept {
  if (a.type_ != b.type_) return false;
  switch (a.type_) {
    case Type::kNull:
      return true;
    case Type::kInt64:
      return a.int64_ == b.int64_;
    case Type::kUint64:
      return a.uint64_ == b.uint64_;
    case Type::kDouble:
      return a.double_ == b.double_;
    case Type::kText:
    case Type::kBytes:
      return a.text() == b.text();
  }
  return false;
}

ValueView Value::view() const noexcept {
  switch (type()) {
    case Type::kNull:
      return {};
    case Type::kInt64:
      return ValueView::of_int64(*std::get_if<std::int64_t>(&data_));
    case Type::kUint64:
      return ValueView::of_uint64(*std::get_if<std::uint64_t>(&data_));
    case Type::kDouble:
      return ValueView::of_double(*std::get_if<double>(&data_));
    case Type::kText:
      return ValueView::of_text(*std::get_if<std::string>(&data_));
    case Type::kBytes:
      return ValueView::of_bytes(*std::get_if<Bytes>(&data_));
  }
  return {};
}

std::size_t Value::byte_count() const noexcept {
  const ValueView seen = view();
  const bool is_long = seen.type() == Type::kText || seen.type() == Type::kBytes;
  return is_long ? seen.text().size() : sizeof(std::int64_t);
}

}  // namespace ssx::db
