// What the fields of a head decide: how the message is framed, to which host it goes, and whether
// the connection lives on (RFC 9112 3.2, 6 and 9.3). A part of RequestParser.
//
// Thread: pure functions
// Owner:  -
// Life:   begin_framing() behind the request line, take_framing_field() for each field that
//         decides_framing(), conclude_framing() behind the last
// Bounds: none of its own; linear in the value
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "http/error.h"
#include "http/head.h"

namespace ssx::http {

/// The members of Connection that concern us, over all its lines.
struct ConnectionOptions {
  bool close = false;
  bool keep_alive = false;
  bool upgrade = false;
};

/// True for the names that take_framing_field() wants to see.
[[nodiscard]] constexpr bool decides_framing(FieldName name) noexcept {
  constexpr auto kBit = [](FieldName of) { return std::uint64_t{1} << static_cast<unsigned>(of); };
  constexpr std::uint64_t kNames = kBit(FieldName::kHost) | kBit(FieldName::kContentLength) |
                                   kBit(FieldName::kTransferEncoding) |
                                   kBit(FieldName::kConnection) | kBit(FieldName::kExpect);
  return (kNames & kBit(name)) != 0;
}

/// What the fields decide by being there is as if they were not; `head.version` is known.
void begin_framing(Head& head) noexcept;

/// Refuses everything that two programs might frame in two ways; see the codes of error.h.
[[nodiscard]] Errc take_framing_field(FieldName name, std::string_view value,
                                      ConnectionOptions& connection, Head& head) noexcept;

/// All fields were there: is a Host, and does it agree with the target?
[[nodiscard]] Errc conclude_framing(const ConnectionOptions& connection, Head& head) noexcept;

// What requests and responses have in common.

/// 1 to 19 digits.
[[nodiscard]] Errc read_content_length(std::string_view text,
                                       std::optional<std::uint64_t>& length) noexcept;
/// Whether it says "chunked" and nothing else; if not, why.
[[nodiscard]] Errc read_transfer_encoding(std::string_view text) noexcept;
/// Adds what one line of Connection says.
void read_connection(std::string_view value, ConnectionOptions& connection) noexcept;

}  // namespace ssx::http
