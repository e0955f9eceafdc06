#include "ssxrver/db/mysql/cells.h"

#include <algorithm>
#include <limits>
#include <span>
#include <string_view>

#include "ssxrver/base/bytes.h"
#include "ssxrver/db/mysql/client_library.h"

namespace ssx::db::mysql {
namespace {

constexpr unsigned kBinaryCharset = 63;  // the protocol's number for "these are bytes"
constexpr std::size_t kBitBytesMax = 8;

std::span<const MYSQL_FIELD> fields_of(const MYSQL_STMT& statement) noexcept {
  return {statement.fields, statement.field_count};
}

/// As the server has named them for this execution; the statement's own are those of the first.
std::span<const MYSQL_FIELD> fresh_fields_of(const MYSQL_STMT& statement) noexcept {
  const MYSQL& mysql = *statement.mysql;
  if (mysql.fields == nullptr || mysql.field_count != statement.field_count) {
    return fields_of(statement);
  }
  return {mysql.fields, mysql.field_count};
}

std::string_view name_of(const MYSQL_FIELD& field) noexcept {
  return field.name == nullptr ? std::string_view() : std::string_view(field.name);
}

std::uint64_t big_endian(std::string_view bytes) noexcept {
  std::uint64_t number = 0;
  for (const char byte : bytes) number = number << 8U | static_cast<unsigned char>(byte);
  return number;
}

/// One number, one form.
ValueView of_unsigned(std::uint64_t number) noexcept {
  if (std::in_range<std::int64_t>(number)) {
    return ValueView::of_int64(static_cast<std::int64_t>(number));
  }
  return ValueView::of_uint64(number);
}

}  // namespace

Cells::Kind Cells::kind_of(const MYSQL_FIELD& field) noexcept {
  // A server may send a number that the header does not know: it is treated as bytes or text.
  switch (static_cast<int>(field.type)) {
    case MYSQL_TYPE_TINY:
    case MYSQL_TYPE_SHORT:
    case MYSQL_TYPE_INT24:
    case MYSQL_TYPE_LONG:
    case MYSQL_TYPE_LONGLONG:
    case MYSQL_TYPE_YEAR:
      return (field.flags & UNSIGNED_FLAG) != 0 ? Kind::kUint64 : Kind::kInt64;
    case MYSQL_TYPE_FLOAT:
    case MYSQL_TYPE_DOUBLE:
      return Kind::kDouble;
    case MYSQL_TYPE_BIT:
      return Kind::kBit;
    case MYSQL_TYPE_NULL:
    case MYSQL_TYPE_DECIMAL:
    case MYSQL_TYPE_NEWDECIMAL:
    case MYSQL_TYPE_DATE:
    case MYSQL_TYPE_NEWDATE:
    case MYSQL_TYPE_TIME:
    case MYSQL_TYPE_DATETIME:
    case MYSQL_TYPE_TIMESTAMP:
    case MYSQL_TYPE_JSON:
      return Kind::kText;
    default:
      return field.charsetnr == kBinaryCharset ? Kind::kBytes : Kind::kText;
  }
}

void Cells::aim(Slot& slot, MYSQL_BIND& bind) {
  bind = {};
  bind.length = &slot.length;
  bind.is_null = &slot.is_null;
  bind.error = &slot.error;
  switch (slot.kind) {
    case Kind::kInt64:
    case Kind::kUint64:
      bind.buffer_type = MYSQL_TYPE_LONGLONG;
      bind.is_unsigned = slot.kind == Kind::kUint64 ? 1 : 0;
      bind.buffer = &slot.int64;
      return;
    case Kind::kDouble:
      bind.buffer_type = MYSQL_TYPE_DOUBLE;
      bind.buffer = &slot.real;
      return;
    case Kind::kBit:
    case Kind::kText:
    case Kind::kBytes:
      break;
  }
  bind.buffer_type = slot.kind == Kind::kText ? MYSQL_TYPE_STRING : MYSQL_TYPE_BLOB;
  bind.buffer = slot.room.data();
  bind.buffer_length = slot.room.size();
}

bool Cells::fits(const MYSQL_STMT& statement) const noexcept {
  const auto fields = fields_of(statement);
  return bound_ && std::equal(fields.begin(), fields.end(), slots_.begin(), slots_.end(),
                              [](const MYSQL_FIELD& field, const Slot& slot) {
                                return field.type == slot.type && field.flags == slot.flags &&
                                       field.charsetnr == slot.charset;
                              });
}

bool Cells::has_names_of(const MYSQL_STMT& statement) const noexcept {
  return names_ != nullptr && std::ranges::equal(fresh_fields_of(statement), *names_, {}, &name_of);
}

bool Cells::bind(MYSQL_STMT* statement) {
  const bool same_names = has_names_of(*statement);
  // Before a result that others follow the library forgets what was bound.
  const bool forgotten = client().mysql_stmt_more_results(statement) != 0;
  if (same_names && !forgotten && fits(*statement)) return true;
  renamed_ = names_ != nullptr && !same_names;
  const auto fields = fields_of(*statement);
  slots_ = std::vector<Slot>(fields.size());
  binds_.assign(fields.size(), MYSQL_BIND());
  std::vector<std::string> names;
  names.reserve(fields.size());
  for (std::size_t i = 0; i < fields.size(); ++i) {
    Slot& slot = slots_[i];
    slot.type = fields[i].type;
    slot.flags = fields[i].flags;
    slot.charset = fields[i].charsetnr;
    slot.kind = kind_of(fields[i]);
    if (slot.kind == Kind::kBit) slot.room.resize(kBitBytesMax);
    if (is_text(slot.kind)) slot.room.resize(kRoomAtFirst);
    aim(slot, binds_[i]);
  }
  for (const MYSQL_FIELD& field : fresh_fields_of(*statement)) names.emplace_back(name_of(field));
  names_ = std::make_shared<const std::vector<std::string>>(std::move(names));
  bound_ = client().mysql_stmt_bind_result(statement, binds_.data()) == 0;
  return bound_;
}

std::size_t Cells::text_bytes() const noexcept {
  std::size_t sum = 0;
  for (const Slot& slot : slots_) {
    if (is_text(slot.kind) && slot.is_null == 0) sum += slot.length;
  }
  return sum;
}

bool Cells::complete(MYSQL_STMT* statement) {
  bool moved = false;
  for (std::size_t i = 0; i < slots_.size(); ++i) {
    Slot& slot = slots_[i];
    if (slot.is_null != 0) continue;
    if (slot.kind == Kind::kBit && slot.length > kBitBytesMax) return false;
    if (!is_text(slot.kind) || slot.length <= slot.room.size()) continue;
    slot.room.resize(slot.length);
    aim(slot, binds_[i]);
    MYSQL_BIND whole = binds_[i];
    if (client().mysql_stmt_fetch_column(statement, &whole, static_cast<unsigned>(i), 0) != 0)
      return false;
    moved = true;
  }
  // The rows that follow go into the larger room at once.
  return !moved || client().mysql_stmt_bind_result(statement, binds_.data()) == 0;
}

ValueView Cells::cell(std::size_t column) const noexcept {
  const Slot& slot = slots_[column];
  if (slot.is_null != 0) return {};
  switch (slot.kind) {
    case Kind::kInt64:
      return ValueView::of_int64(slot.int64);
    case Kind::kUint64:
      return of_unsigned(slot.uint64);
    case Kind::kDouble:
      return ValueView::of_double(slot.real);
    case Kind::kBit:
      return of_unsigned(big_endian(std::string_view(slot.room).substr(0, slot.length)));
    case Kind::kText:
      return ValueView::of_text(std::string_view(slot.room).substr(0, slot.length));
    case Kind::kBytes:
      break;
  }
  return ValueView::of_bytes(as_bytes(std::string_view(slot.room).substr(0, slot.length)));
}

void Cells::shrink() {
  for (Slot& slot : slots_) {
    if (slot.room.size() <= kRoomKept) continue;
    slot.room = std::string(kRoomKept, '\0');
    bound_ = false;
  }
}

}  // namespace ssx::db::mysql
