// A statement and its parameters: what goes to a driver.
//
// Thread: a value
// Owner:  whoever holds it; handed over by value, as a driver may need it on another thread
// Life:   any
// Bounds: PoolOptions::statement_bytes_max
//
//   Statement("SELECT name FROM user WHERE id = ? AND town = ?", id, "Bonn")
//
// A parameter stands for a value, at a "?", and never becomes a part of the text.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include "ssxrver/db/error.h"
#include "ssxrver/db/value.h"

namespace ssx::db {

struct Statement {
  Statement() = default;
  template <class... Ts>
    requires(std::constructible_from<Value, Ts> && ...)
  explicit Statement(std::string_view text, Ts&&... values) : sql(text) {
    parameters.reserve(sizeof...(Ts));
    (parameters.emplace_back(std::forward<Ts>(values)), ...);
  }
  Statement(std::string text, Values values)
      : sql(std::move(text)), parameters(std::move(values)) {}

  [[nodiscard]] std::size_t byte_count() const noexcept {
    std::size_t sum = sql.size();
    for (const Value& value : parameters) sum += value.byte_count();
    return sum;
  }
  bool operator==(const Statement&) const = default;

  std::string sql;
  Values parameters;
};

/// For drivers, before they have a text prepared. kSyntax, with the place, for one with a NUL byte:
/// libraries take that for the end, and what stands behind it would be judged by nobody. In a
/// parameter it is a byte like any other.
[[nodiscard]] Result<void> check_text(std::string_view sql);

}  // namespace ssx::db
