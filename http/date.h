// HTTP dates (RFC 9110 5.6.7). Seconds since 1970-01-01 00:00:00 UTC, without leap seconds.
//
// Thread: pure functions
// Owner:  -
// Life:   -
// Bounds: years 1970 .. 9999
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "ssxrver/base/result.h"

namespace ssx::http {

/// "Sun, 06 Nov 1994 08:49:37 GMT" is 29 bytes, always.
inline constexpr std::size_t kDateSize = 29;
using DateText = std::array<char, kDateSize>;

/// The earliest and the latest time that can be written.
inline constexpr std::int64_t kDateMin = 0;
inline constexpr std::int64_t kDateMax = 253402300799;

/// Writes an IMF-fixdate. Times outside kDateMin .. kDateMax become the nearest of the two.
[[nodiscard]] DateText format_date(std::int64_t seconds) noexcept;

[[nodiscard]] inline std::string_view view(const DateText& text) noexcept {
  return {text.data(), text.size()};
}

/// Reads any of the three forms: IMF-fixdate, RFC 850 ("Sunday, 06-Nov-94 08:49:37 GMT") and
/// asctime ("Sun Nov  6 08:49:37 1994"). `now` decides the century of an RFC 850 year: one that
/// seems more than 50 years ahead is in the past. A wrong day of the week is ignored as long as it
/// is one; a day that the month does not have, or hour 24, is kNotADate.
[[nodiscard]] Result<std::int64_t> parse_date(std::string_view text, std::int64_t now) noexcept;

}  // namespace ssx::http
