// Finds a value in application/x-www-form-urlencoded text (URL Standard 5.1).
//
// Thread: any thread
// Owner:  -
// Life:   -
// Bounds: that of the text
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace ssx::plugin::internal {

[[nodiscard]] inline int hex_digit(char digit) noexcept {
  if (digit >= '0' && digit <= '9') return digit - '0';
  const char lower = static_cast<char>(digit | 0x20);
  return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

/// "+" is a space; a "%" without two digits stands for itself.
[[nodiscard]] inline std::string decode_form(std::string_view text) {
  std::string decoded;
  decoded.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '+') {
      decoded += ' ';
    } else if (text[i] == '%' && i + 2 < text.size() && hex_digit(text[i + 1]) >= 0 &&
               hex_digit(text[i + 2]) >= 0) {
      decoded += static_cast<char>(hex_digit(text[i + 1]) * 16 + hex_digit(text[i + 2]));
      i += 2;
    } else {
      decoded += text[i];
    }
  }
  return decoded;
}

/// The first value of that name, decoded.
[[nodiscard]] inline std::optional<std::string> find_in_form(std::string_view form,
                                                             std::string_view name) {
  while (!form.empty()) {
    const std::string_view pair = form.substr(0, form.find('&'));
    form.remove_prefix(pair.size() == form.size() ? form.size() : pair.size() + 1);
    const std::size_t equals = pair.find('=');
    if (decode_form(pair.substr(0, equals)) != name) continue;
    if (equals == std::string_view::npos) return std::string();
    return decode_form(pair.substr(equals + 1));
  }
  return std::nullopt;
}

}  // namespace ssx::plugin::internal
