// Sec-WebSocket-Protocol: which subprotocol two sides speak (RFC 6455 1.9, 4.2.2). Pure.
//
// Thread: pure functions
// Owner:  -
// Life:   what is chosen is one of the names given by our side, and lives as long as they
// Bounds: kSubprotocolsMax members, all lines together
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "http/fields.h"
#include "websocket/error.h"

namespace ssx::websocket {

inline constexpr std::size_t kSubprotocolsMax = 64;

/// The server's side. `chosen` becomes the first of `known` that the client offers, as spelled;
/// empty when there is none. kBadSubprotocols: a member is no token or comes twice, there are too
/// many, or none at all.
[[nodiscard]] Errc choose_subprotocol(const http::Fields& fields,
                                      const std::vector<std::string>& known,
                                      std::string_view& chosen) noexcept;

/// The client's side. `chosen` becomes what the server has taken; empty when nothing.
/// kUnaskedSubprotocol: another one than those of `offered`, or several.
[[nodiscard]] Errc check_subprotocol(const http::Fields& fields,
                                     const std::vector<std::string>& offered,
                                     std::string_view& chosen) noexcept;

}  // namespace ssx::websocket
