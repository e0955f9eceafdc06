// Where a load is aimed at.
//
// Thread: the main thread; blocks as long as the resolver does
// Owner:  values
// Life:   one call
// Bounds: -
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "ssxrver/base/result.h"
#include "ssxrver/base/startup_error.h"
#include "ssxrver/net/socket_address.h"

namespace ssx::load {

struct HostPort {
  std::string host;
  std::uint16_t port = 0;
};
/// "HOST:PORT"; an IPv6 address in brackets. The error is a sentence.
Expected<HostPort, std::string> parse_host_port(std::string_view text);

/// The first address of a host: a literal, or what the system's resolver says. The error is a
/// sentence.
Expected<net::SocketAddress, std::string> find_address(const std::string& host, std::uint16_t port);

/// An address of this machine to reach `target` from, with a port of the kernel's choice. The error
/// says what it is not.
Expected<net::SocketAddress, std::string> find_source(const std::string& text,
                                                      const net::SocketAddress& target);

/// Lets this process have so many sockets and loops, and what it needs beside. The error names the
/// limit.
StartupResult<void> make_room_for(std::uint32_t connections, std::uint32_t threads);

}  // namespace ssx::load
