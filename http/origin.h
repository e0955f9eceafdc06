// The origin of a page (RFC 6454): scheme, host and port.
//
// Thread: pure functions, immutable values
// Owner:  views into the text
// Life:   not longer than that text
// Bounds: those of a field
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace ssx::http {

struct Origin {
  std::string_view scheme;  ///< as spelled, like the host
  std::string_view host;    ///< an IPv6 address keeps its brackets
  std::uint16_t port = 0;   ///< that of the scheme when none was given; 0 when nobody knows it

  /// "https://a.example:8443" (6.2). Nothing for "null", a list, or a URL with more than that: even
  /// "/" at its end.
  [[nodiscard]] static std::optional<Origin> parse(std::string_view text) noexcept;

  /// The three are equal, scheme and host whatever their case (5).
  friend bool operator==(const Origin& left, const Origin& right) noexcept;
};

/// Whether a page of this origin was served by whom the Host field names. `secure`: the request
/// came over TLS.
///
/// Over TLS only https is the same origin. Without, TLS may have ended at a proxy, so the scheme is
/// what the page says, and decides which port a Host without one means; the host must be equal, and
/// so must the ports.
[[nodiscard]] bool is_origin_of(const Origin& origin, std::string_view host_field,
                                bool secure) noexcept;

}  // namespace ssx::http
