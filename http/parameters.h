// The parameters behind a field's value: `; charset="utf-8"; boundary=x` (RFC 9110 5.6.6).
//
// Thread: a value
// Owner:  views into the text
// Life:   not longer than that text
// Bounds: kMax parameters; one name twice is refused, since two programs would take different ones
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace ssx::http {

/// What a backslash in a quoted string does.
enum class Backslash : std::uint8_t {
  kQuotes,     ///< the byte behind it stands for itself (RFC 9110 5.6.4)
  kFileNames,  ///< only before '"' and "\": browsers send "C:\a.txt" as it is (RFC 7578 4.2)
};

class Parameters {
 public:
  static constexpr std::size_t kMax = 16;

  struct Entry {
    std::string_view name;
    std::string_view value;  ///< without its quotes, still escaped when `quoted`
    bool quoted = false;
  };

  /// `text` is empty or begins, behind white space, with ";". False when it is malformed.
  [[nodiscard]] bool parse(std::string_view text, Backslash backslash) noexcept;

  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] const Entry& operator[](std::size_t index) const noexcept {
    return entries_[index];
  }
  /// The value of that name, whatever its case, unescaped.
  [[nodiscard]] std::optional<std::string> find(std::string_view name) const;

 private:
  [[nodiscard]] const Entry* entry(std::string_view name) const noexcept;
  [[nodiscard]] bool add(std::string_view& text) noexcept;

  std::size_t size_ = 0;
  Backslash backslash_ = Backslash::kQuotes;
  std::array<Entry, kMax> entries_;
};

}  // namespace ssx::http
