// What the layers' enums of errors have in common when each value has a text, or a row of a table.
//
// Thread: immutable
// Owner:  -
// Life:   -
// Bounds: values 0 .. kCount - 1; any other is an "unknown error"
//
//   static_assert(is_in_order(kTable), "...");  // rows have a `code`
//   const std::error_category& http_category() noexcept {
//     static const TextCategory<Errc, kErrcCount> category("http");
//     return category;
//   }
#pragma once

#include <cstddef>
#include <string>
#include <system_error>

namespace ssx {

/// Every row stands at the place of its value.
template <class Rows>
constexpr bool is_in_order(const Rows& rows) noexcept {
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (static_cast<std::size_t>(rows[i].code) != i) return false;
  }
  return true;
}

/// Its messages are those of `std::string_view to_string(Code)`.
template <class Code, int kCount>
class TextCategory final : public std::error_category {
 public:
  /// `name` is a literal.
  explicit TextCategory(const char* name) noexcept : name_(name) {}

  [[nodiscard]] const char* name() const noexcept override { return name_; }
  [[nodiscard]] std::string message(int value) const override {
    if (value < 0 || value >= kCount) return "unknown error";
    return std::string(to_string(static_cast<Code>(value)));
  }

 private:
  const char* name_;
};

}  // namespace ssx
