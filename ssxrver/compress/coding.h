// The content codings (RFC 9110 8.4.1) that this build can write.
//
// Thread: immutable values
// Owner:  -
// Life:   -
// Bounds: three of them
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace ssx::compress {

enum class Coding : std::uint8_t {
  kGzip,    ///< RFC 1952; always there
  kBrotli,  ///< RFC 7932; when libbrotlienc was found
  kZstd,    ///< RFC 8878; when libzstd was found
};

inline constexpr std::array kCodings = {Coding::kGzip, Coding::kBrotli, Coding::kZstd};

/// False when the build was made without that library.
[[nodiscard]] bool is_available(Coding coding) noexcept;

/// As Content-Encoding says it: "gzip", "br", "zstd".
[[nodiscard]] std::string_view to_string(Coding coding) noexcept;
/// The same back, whatever its case; "x-gzip" is gzip (RFC 9110 8.4.1.3).
[[nodiscard]] std::optional<Coding> find_coding(std::string_view name) noexcept;

}  // namespace ssx::compress
