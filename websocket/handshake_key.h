// Sec-WebSocket-Key, and the Sec-WebSocket-Accept that belongs to it (RFC 6455 4.1, 4.2.2).
//
// Thread: pure functions
// Owner:  -
// Life:   -
// Bounds: 24 and 28 characters
//
// They show that the other side means a WebSocket, and are no secret.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string_view>

namespace ssx::websocket {

inline constexpr std::size_t kNonceSize = 16;

/// Text: std::string_view(key.data(), key.size()).
using HandshakeKey = std::array<char, 24>;
using AcceptKey = std::array<char, 28>;

/// Of bytes that nobody can foresee (10.3 asks for them to be random).
[[nodiscard]] HandshakeKey make_key(std::span<const std::byte, kNonceSize> nonce);

/// 16 bytes in the one base64 that they have (4.1, item 7).
[[nodiscard]] bool is_key(std::string_view text);

[[nodiscard]] AcceptKey accept_key(std::string_view key);

}  // namespace ssx::websocket
