// Where the client library puts the columns of a row, and what they are then.
//
// Thread: one thread at a time
// Owner:  a PreparedStatement
// Life:   bind() after each execution; cell() until the next row is fetched
// Bounds: a column's room grows to its longest value, at most what a packet may hold, and goes back
//         to kRoomKept with shrink()
//
// Whole numbers are kInt64, above its range kUint64; BIT is a number, too. DECIMAL, dates and times
// are text, as the server writes them. Text has a character set; what has none is bytes.
#pragma once

#include <mysql.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "ssxrver/db/rows.h"

namespace ssx::db::mysql {

class Cells {
 public:
  static constexpr std::size_t kRoomAtFirst = 256;
  static constexpr std::size_t kRoomKept = 4096;

  Cells() = default;
  Cells(const Cells&) = delete;
  Cells& operator=(const Cells&) = delete;

  /// Looks at the columns that the statement has now, just executed, and gives them to the library
  /// where they are others than before. False: the library has not taken them.
  [[nodiscard]] bool bind(MYSQL_STMT* statement);
  /// The last bind() has found other names than the one before. A server tells new ones once, and
  /// the library keeps the old: the statement is to be prepared again.
  [[nodiscard]] bool renamed() const noexcept { return renamed_; }
  [[nodiscard]] const ColumnNames& names() const noexcept { return names_; }

  /// The bytes of all texts of the row that was fetched.
  [[nodiscard]] std::size_t text_bytes() const noexcept;
  /// Gets what was longer than its room. False: the library does not give it.
  [[nodiscard]] bool complete(MYSQL_STMT* statement);
  /// Of the row that was fetched, and completed.
  [[nodiscard]] ValueView cell(std::size_t column) const noexcept;

  /// Gives back what long values have needed; the next bind() tells the library.
  void shrink();

 private:
  enum class Kind : std::uint8_t { kInt64, kUint64, kDouble, kBit, kText, kBytes };
  struct Slot {
    // As the column was when it was bound.
    enum_field_types type = MYSQL_TYPE_NULL;
    unsigned flags = 0;
    unsigned charset = 0;
    Kind kind = Kind::kInt64;
    // The library writes here.
    union {
      std::int64_t int64 = 0;
      std::uint64_t uint64;
      double real;
    };
    std::string room;
    unsigned long length = 0;
    my_bool is_null = 0;
    my_bool error = 0;
  };

  static Kind kind_of(const MYSQL_FIELD& field) noexcept;
  static bool is_text(Kind kind) noexcept { return kind == Kind::kText || kind == Kind::kBytes; }
  static void aim(Slot& slot, MYSQL_BIND& bind);
  [[nodiscard]] bool fits(const MYSQL_STMT& statement) const noexcept;
  [[nodiscard]] bool has_names_of(const MYSQL_STMT& statement) const noexcept;

  std::vector<Slot> slots_;
  std::vector<MYSQL_BIND> binds_;
  ColumnNames names_;
  bool bound_ = false;
  bool renamed_ = false;
};

}  // namespace ssx::db::mysql
