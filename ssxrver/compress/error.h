// What can go wrong with compressed bytes.
//
// Thread: immutable values
// Owner:  -
// Life:   -
// Bounds: one value for each limit of InflateLimits
#pragma once

#include <string_view>
#include <system_error>

namespace ssx::compress {

enum class Errc : int {
  kOk = 0,
  kCorrupt,      ///< not a stream of that format, or a wrong checksum
  kTruncated,    ///< the input ended before the stream did
  kTrailing,     ///< bytes behind the end of the stream
  kTooLarge,     ///< InflateLimits::output_max
  kRatio,        ///< InflateLimits::ratio_max
  kUnavailable,  ///< a coding that this build does not have
  kBadOptions,   ///< a level or a window that the coding does not know
  kNoMemory,     ///< the library got none
};

inline constexpr int kErrcCount = static_cast<int>(Errc::kNoMemory) + 1;

[[nodiscard]] std::string_view to_string(Errc code) noexcept;
const std::error_category& compress_category() noexcept;
std::error_code make_error_code(Errc code) noexcept;

}  // namespace ssx::compress

template <>
struct std::is_error_code_enum<ssx::compress::Errc> : std::true_type {};
