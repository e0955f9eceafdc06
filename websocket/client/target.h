// Whom a client asks, and with what words: options that have been checked. Pure.
//
// Thread: an immutable value, pure functions
// Owner:  the core of a socket
// Life:   longer than the handshake
// Bounds: linear in the options
//
// Nothing of the caller's can break the request: URL, names and values are checked before a byte is
// sent.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>

#include "http/client/http_connect.h"
#include "http/url.h"
#include "ssxrver/base/result.h"
#include "ssxrver/net/socks5.h"
#include "websocket/client/options.h"
#include "websocket/handshake_key.h"

namespace ssx::websocket {

/// As http: the port of ws is 80 (RFC 6455 3). http::Errc: kUnsupportedScheme, kTlsNotBuilt for
/// wss, kBadUrl (also for a fragment), kUrlTooLong, kBadEscape.
[[nodiscard]] Result<http::Url> parse_ws_url(std::string_view text);

using ClientTunnel = std::variant<std::monostate, net::Socks5, http::HttpConnect>;

struct ClientTarget {
  /// What parse_ws_url() says, and of http::Errc: kBadFieldName, kBadFieldValue, kReservedField. Of
  /// websocket::Errc: kBadSubprotocols. What Socks5 and HttpConnect say of the proxy's user.
  static Result<ClientTarget> create(ClientOptions options);

  /// A way through the proxy that begins now; empty without a proxy.
  [[nodiscard]] Result<ClientTunnel> make_tunnel() const;
  /// Whom to connect to: the server, or its proxy.
  [[nodiscard]] std::string_view host() const noexcept;
  [[nodiscard]] std::uint16_t port() const noexcept;

  /// "ws://a.example/chat": for logs, so without the query.
  [[nodiscard]] std::string name() const;

  http::Url url;
  ClientOptions options;
};

/// The request for a handshake with this key (RFC 6455 4.1).
[[nodiscard]] std::string handshake_request(const ClientTarget& target, const HandshakeKey& key);

}  // namespace ssx::websocket
