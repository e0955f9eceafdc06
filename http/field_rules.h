// Which names and values a field may have when it is we who send it: no byte that a handler or a
// caller gives may break the framing of a message.
//
// Thread: pure functions
// Owner:  -
// Life:   -
// Bounds: -
#pragma once

#include <string_view>

namespace ssx::http {

/// RFC 9110 5.6.2.
[[nodiscard]] bool is_token(std::string_view text) noexcept;

/// RFC 9110 5.5: no control character but HTAB. Bytes above 0x7F are let through.
[[nodiscard]] bool is_field_value(std::string_view text) noexcept;

/// The fields of an answer that are the server's business, whatever a handler says: framing, the
/// connection, Date and Server.
[[nodiscard]] bool is_servers_field(std::string_view name) noexcept;

/// False for fields that decide about framing, routing, authentication, or how the content is to be
/// read: they come too late behind it (RFC 9110 6.5.1).
[[nodiscard]] bool may_be_trailer(std::string_view name) noexcept;

}  // namespace ssx::http
