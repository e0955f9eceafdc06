#include "ssxrver/db/mysql/row_check.h"

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <type_traits>

#include "ssxrver/db/mysql/client_library.h"

namespace ssx::db::mysql {
namespace {

using Bytes = std::span<const unsigned char>;

constexpr std::size_t kNullBitsUnused = 2;  // at the beginning of the bit map

/// Takes as many bytes off the front; false: there are fewer.
bool take(Bytes& rest, std::uint64_t bytes) noexcept {
  if (bytes > rest.size()) return false;
  rest = rest.subspan(static_cast<std::size_t>(bytes));
  return true;
}

/// Takes a length, and what is as long.
bool take_counted(Bytes& rest) noexcept {
  if (rest.empty()) return false;
  const unsigned first = rest[0];
  constexpr unsigned kShort = 251;  // below: the length itself
  constexpr unsigned kNull = 251;   // which a bit says in a row, and never a length
  if (first < kShort) return take(rest, 1 + std::uint64_t{first});
  if (first == kNull) return false;
  const std::size_t width = first == 252 ? 2 : first == 253 ? 3 : 8;
  if (rest.size() <= width) return false;
  std::uint64_t length = 0;
  for (std::size_t i = width; i > 0; --i) length = length << 8U | rest[i];
  return take(rest, 1 + width) && take(rest, length);
}

bool take_cell(Bytes& rest, const MYSQL_FIELD& column) noexcept {
  const auto& conversions = *client().mysql_ps_fetch_functions;
  const auto type = static_cast<std::size_t>(column.type);
  if (type >= std::size(conversions)) return false;
  const MYSQL_PS_CONVERSION& conversion = conversions[type];
  if (conversion.func == nullptr) return false;
  if (conversion.pack_len < 0) return take_counted(rest);
  return take(rest, static_cast<std::uint64_t>(conversion.pack_len));
}

using Fetch = decltype(st_mariadb_methods::db_stmt_fetch_to_bind);

/// A library whose function takes the length of the row, too.
template <class Function>
concept TellsLength =
    std::is_invocable_r_v<int, Function, MYSQL_STMT*, unsigned char*, unsigned long>;

template <TellsLength Function>
const st_mariadb_methods* checked(const st_mariadb_methods* methods) noexcept {
  static const Function library = methods->db_stmt_fetch_to_bind;
  static const st_mariadb_methods table = [methods] {
    st_mariadb_methods copy = *methods;
    copy.db_stmt_fetch_to_bind = [](MYSQL_STMT* statement, unsigned char* row,
                                    unsigned long length) {
      if (!is_good_row({statement->fields, statement->field_count}, {row, length})) return 1;
      return library(statement, row, length);
    };
    return copy;
  }();
  return &table;
}
template <class Function>
const st_mariadb_methods* checked(const st_mariadb_methods* methods) noexcept {
  return methods;
}

}  // namespace

bool is_good_row(std::span<const MYSQL_FIELD> columns, Bytes row) noexcept {
  const std::size_t bits = columns.size() + kNullBitsUnused;
  const std::size_t head = 1 + (bits + 7) / 8;
  Bytes rest = row;
  if (!take(rest, head)) return false;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const std::size_t bit = i + kNullBitsUnused;
    const bool is_null = (row[1 + bit / 8] >> bit % 8 & 1U) != 0;
    if (!is_null && !take_cell(rest, columns[i])) return false;
  }
  return true;
}

void check_rows(MYSQL& mysql) noexcept { mysql.methods = checked<Fetch>(mysql.methods); }

}  // namespace ssx::db::mysql
