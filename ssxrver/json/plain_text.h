// Values as text: strings that stand in JSON as they are, which are most, and numbers. (i)
//
// Thread: any
// Owner:  -
// Life:   one call
// Bounds: -
#pragma once

#include <array>
#include <charconv>
#include <concepts>
#include <string>
#include <string_view>

#include "ssxrver/json/json.h"

namespace ssx::json {

/// ASCII that needs no escape (RFC 8259 7). Looks at all of it: a loop without a way out is done
/// many bytes at a time.
[[nodiscard]] constexpr bool is_plain(std::string_view text) noexcept {
  unsigned special = 0;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    special |= static_cast<unsigned>(byte < 0x20) | static_cast<unsigned>(byte > 0x7e) |
               static_cast<unsigned>(byte == '"') | static_cast<unsigned>(byte == '\\');
  }
  return special == 0;
}

/// As quote() gives it.
inline void append_quoted(std::string& out, std::string_view text) {
  if (!is_plain(text)) {
    out += quote(text);
    return;
  }
  out.push_back('"');
  out.append(text);
  out.push_back('"');
}

void append_number(std::string& out, std::integral auto number) {
  std::array<char, 20> digits;  // of 64 bits, with a sign
  const auto end = std::to_chars(digits.begin(), digits.end(), number).ptr;
  out.append(digits.begin(), end);
}

/// "null" when it is not finite.
void append_real(std::string& out, double number);

}  // namespace ssx::json
