// ASCII text helpers. Locale never matters.
//
// Thread: any thread
// Owner:  views into the argument
// Life:   that of the argument
// Bounds: none of their own
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace ssx {

[[nodiscard]] constexpr char ascii_lower(char c) noexcept {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c;
}
[[nodiscard]] bool ascii_iequals(std::string_view a, std::string_view b) noexcept;
/// Without spaces and tabs at both ends.
[[nodiscard]] std::string_view trim(std::string_view text) noexcept;
/// Decimal digits only, whole text, no sign; nothing when it does not fit.
[[nodiscard]] std::optional<std::uint64_t> parse_uint(std::string_view text) noexcept;

/// Calls visit(part) for each part between separators, empty ones too.
template <class Visit>
void for_each_part(std::string_view text, char separator, Visit&& visit) {
  while (true) {
    const auto at = text.find(separator);
    visit(text.substr(0, at));
    if (at == std::string_view::npos) return;
    text.remove_prefix(at + 1);
  }
}

}  // namespace ssx
