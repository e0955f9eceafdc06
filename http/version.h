// The two versions of HTTP that this parser lets through.
//
// Thread: immutable values
// Owner:  -
// Life:   -
// Bounds: HTTP/1.0, and HTTP/1.1 for all above it (RFC 9110 6.2); every other major version is
//         answered with 505 or 400
#pragma once

#include <cstdint>
#include <string_view>

namespace ssx::http {

enum class Version : std::uint8_t { kHttp10, kHttp11 };

[[nodiscard]] constexpr std::string_view to_string(Version version) noexcept {
  return version == Version::kHttp10 ? "HTTP/1.0" : "HTTP/1.1";
}

}  // namespace ssx::http
