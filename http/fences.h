// What the actions of field_lines.rl need: a part of RequestParser and of ResponseParser.
//
// Thread: pure functions
// Owner:  -
// Life:   one parse
// Bounds: ParserLimits
//
// A fence is where the element being read hits its limit; it is the machine's `pe`.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "http/fields.h"
#include "http/options.h"

namespace ssx::http {

inline constexpr std::size_t kHeadMost = 64 << 10;  // offsets in Fields have 16 bits

// How many bytes from the start of its line an element may reach, its delimiter included: a line
// of exactly the limit still has room for CRLF.
inline std::size_t field_line_room(const ParserLimits& limits) noexcept {
  return limits.field_line_max + 2;
}

inline const char* fence(const char* line, std::size_t room, const char* last) noexcept {
  return line + std::min(room, static_cast<std::size_t>(last - line));
}

inline std::uint32_t offset(const char* base, const char* p) noexcept {
  return static_cast<std::uint32_t>(p - base);
}

constexpr bool is_ows(char byte) noexcept { return byte == ' ' || byte == '\t'; }

/// Where a field line lies, from the first byte of the message.
struct FieldPlace {
  std::uint32_t line;
  std::uint16_t name_size;
  std::uint32_t value;
};

/// Puts the line into the table; "\r" of it is at `end`.
[[gnu::always_inline]] inline Field add_field(FieldPlace place, const char* base, const char* end,
                                              Fields& fields) noexcept {
  const char* const name = base + place.line;
  const char* const value = base + place.value;
  while (end != value && is_ows(end[-1])) --end;
  const Field field{.name = {name, place.name_size},
                    .value = {value, static_cast<std::size_t>(end - value)},
                    .id = find_field_name({name, place.name_size})};
  Fields::Entry& entry = fields.add(field.id);
  entry.name_offset = static_cast<std::uint16_t>(place.line);
  entry.name_size = place.name_size;
  entry.value_offset = static_cast<std::uint16_t>(place.value);
  entry.value_size = static_cast<std::uint16_t>(field.value.size());
  return field;
}

}  // namespace ssx::http
