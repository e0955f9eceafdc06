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
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include "ssxrver/json/json.h"

namespace ssx::json {

namespace internal {

template <class Word>
[[nodiscard]] Word load(const char* at) noexcept {
  Word word;
  std::memcpy(&word, at, sizeof(word));
  return word;
}

/// Less than eight bytes as a word, some of them twice; not in their order.
[[nodiscard]] inline std::uint64_t load_short(std::string_view text) noexcept {
  const char* const begin = text.data();
  const char* const end = begin + text.size();
  if (text.size() >= 4) {
    return std::uint64_t{load<std::uint32_t>(begin)} << 32 | load<std::uint32_t>(end - 4);
  }
  std::uint64_t word = 0x2020202020202020;
  for (const char c : text) word = word << 8 | static_cast<unsigned char>(c);
  return word;
}

/// The highest bit of some byte is set when one of eight is no ASCII, a control character, a
/// quotation mark or a backslash; which byte has it says nothing.
[[nodiscard]] constexpr std::uint64_t find_special(std::uint64_t word) noexcept {
  constexpr std::uint64_t kOnes = 0x0101010101010101;
  const std::uint64_t quotes = word ^ kOnes * '"';
  const std::uint64_t slashes = word ^ kOnes * '\\';
  const std::uint64_t below = (word - kOnes * 0x20) | (quotes - kOnes) | (slashes - kOnes);
  return (below | word) & kOnes * 0x80;
}

}  // namespace internal

/// ASCII that needs no escape (RFC 8259 7). Looks at all of it, eight bytes at a time.
[[nodiscard]] inline bool is_plain(std::string_view text) noexcept {
  if (text.size() < 8) return internal::find_special(internal::load_short(text)) == 0;
  std::uint64_t special = 0;
  const char* at = text.data();
  for (const char* const last = at + text.size() - 8; at < last; at += 8)
    special |= internal::find_special(internal::load<std::uint64_t>(at));
  const auto end = internal::load<std::uint64_t>(text.data() + text.size() - 8);
  return (special | internal::find_special(end)) == 0;
}

/// A string that is plain, with its quotation marks; behind the last one.
inline char* put_quoted(char* at, std::string_view plain) noexcept {
  *at++ = '"';
  if (!plain.empty()) std::memcpy(at, plain.data(), plain.size());
  at[plain.size()] = '"';
  return at + plain.size() + 1;
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
