// The header with which a proxy tells whose connection it carries: the PROXY protocol, versions 1
// (text) and 2 (binary). Pure: bytes in, a value or an error out.
//
// Specification: "The PROXY protocol, versions 1 & 2", HAProxy Technologies, 2020/03/05.
//
// Thread: any thread
// Owner:  values
// Life:   any
// Bounds: version 1 kV1Max bytes (its section 2.1), version 2 kV2Max bytes with what is appended to
//         the addresses
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "ssxrver/base/bytes.h"
#include "ssxrver/net/socket_address.h"

namespace ssx::net {

struct ProxyHeader {
  enum class Progress : std::uint8_t {
    kDone,
    kNeedMore,  ///< call again with these bytes and more
    kAbsent,    ///< these bytes begin something else
    kFailed,    ///< it begins like one, and is none
  };
  static constexpr std::size_t kV1Max = 107;
  static constexpr std::size_t kV2Max = 4096;

  Progress progress = Progress::kNeedMore;
  std::size_t size = 0;  ///< of the header, when it is done
  /// None: the proxy speaks for itself (LOCAL), or does not know (UNKNOWN, AF_UNSPEC), or says
  /// something that is no IP address over a stream (a unix socket, datagrams).
  std::optional<SocketAddress> client = std::nullopt;
  /// Where the client connected to; there when `client` is.
  std::optional<SocketAddress> server = std::nullopt;
};

[[nodiscard]] ProxyHeader parse_proxy_header(ByteView in) noexcept;

}  // namespace ssx::net
