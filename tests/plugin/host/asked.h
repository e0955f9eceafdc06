// Something that a plugin has asked of a database, and all that came of it, as text.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tests/plugin/host/plugin_fixture.h"

namespace ssx::plugins::test {

inline std::string show(const ssxrver_value& value) {
  switch (value.kind) {
    case SSXRVER_NULL:
      return "null";
    case SSXRVER_INT:
      return std::to_string(value.number.integer);
    case SSXRVER_UINT:
      return std::to_string(value.number.whole) + "u";
    case SSXRVER_REAL:
      return std::to_string(value.number.real);
    case SSXRVER_TEXT:
      return "'" + str(value.text) + "'";
    default:
      return "bytes '" + str(value.text) + "'";
  }
}

class Asked {
 public:
  enum class For : std::uint8_t { kRows, kTransaction, kEnd, kNothing };

  explicit Asked(For what = For::kRows) : what_(what) {}
  Asked(const Asked&) = delete;
  Asked& operator=(const Asked&) = delete;

  [[nodiscard]] ssxrver_waiter waiter() noexcept { return {&Asked::done, this}; }

  ssxrver_wait* wait = nullptr;

  // When it was told.
  std::atomic<bool> told = false;
  std::int32_t status = SSXRVER_PENDING;
  std::int32_t code = 0;
  std::string why;
  std::vector<std::string> columns;
  std::vector<std::string> cells;  ///< row by row
  std::uint64_t affected = 0;
  std::uint64_t last_insert_id = 0;
  ssxrver_transaction* transaction = nullptr;

 private:
  static void done(void* context, std::int32_t status) {
    auto& asked = *static_cast<Asked*>(context);
    EXPECT_FALSE(asked.told) << "twice";
    asked.status = status;
    asked.take(FakePlugin::current()->db());
    asked.told.store(true, std::memory_order_release);
  }
  void take(const ssxrver_db& db) {
    std::array<char, 512> room{};
    ssxrver_error error{0, room.size(), 0, room.data()};
    if (what_ == For::kRows) {
      if (ssxrver_rows* const rows = db.rows(wait, &error)) read(db, rows);
    } else if (what_ == For::kTransaction) {
      transaction = db.transaction(wait, &error);
    } else if (what_ == For::kEnd && status != SSXRVER_OK) {
      db.why(wait, &error);
    }
    code = error.code;
    why.assign(room.data(), error.size);
  }
  void read(const ssxrver_db& db, ssxrver_rows* rows) {
    for (std::size_t i = 0; i < db.column_count(rows); ++i)
      columns.push_back(str(db.column_name(rows, i)));
    for (std::size_t row = 0; row < db.row_count(rows); ++row) {
      for (std::size_t i = 0; i < columns.size(); ++i) {
        ssxrver_value value{};
        db.value(rows, row, i, &value);
        cells.push_back(show(value));
      }
    }
    affected = db.affected(rows);
    last_insert_id = db.last_insert_id(rows);
    db.free_rows(rows);
  }

  const For what_;
};

}  // namespace ssx::plugins::test
