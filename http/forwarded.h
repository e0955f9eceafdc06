// Who the client is when a proxy stands between us: X-Forwarded-For, Forwarded (RFC 7239) or
// X-Real-IP. Pure.
//
// Anybody can send these fields, so only what a trusted proxy has said counts. Each proxy writes
// whom it was called by at the right end of the list. So the list is read from the right: the first
// address that is no trusted proxy is the client's, and what stands left of it is hearsay. Where an
// element says nothing ("unknown", an obfuscated name, a typing error) the walk ends, and the
// client is the proxy that wrote it: the last one we know.
//
// Thread: immutable once built
// Owner:  RequestGuard
// Life:   any
// Bounds: the walk takes kHopsMax steps; whoever has so many proxies gets the last of those
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include "http/fields.h"
#include "http/options.h"
#include "ssxrver/net/socket_address.h"
#include "ssxrver/net/trusted_proxies.h"

namespace ssx::http {

struct ProxyTrust {
  net::TrustedProxies proxies;
  RealIpHeader header = RealIpHeader::kXForwardedFor;
};

inline constexpr std::size_t kHopsMax = 32;

/// The client of a request that `peer` has sent. Costs one look at the peer when it is not trusted,
/// and never allocates.
[[nodiscard]] net::SocketAddress client_address(const net::SocketAddress& peer,
                                                const Fields& fields,
                                                const ProxyTrust& trust) noexcept;

/// "http" or "https", as the client saw it: `proto` of the client's element of Forwarded, or the
/// last member of X-Forwarded-Proto. Nothing without a trusted proxy that says so.
[[nodiscard]] std::optional<std::string_view> forwarded_proto(const net::SocketAddress& peer,
                                                              const Fields& fields,
                                                              const ProxyTrust& trust) noexcept;
/// The host that the client asked for: `host` of that element, or the last member of
/// X-Forwarded-Host. Only letters, digits and "-._:[]" are let through.
[[nodiscard]] std::optional<std::string_view> forwarded_host(const net::SocketAddress& peer,
                                                             const Fields& fields,
                                                             const ProxyTrust& trust) noexcept;

}  // namespace ssx::http
