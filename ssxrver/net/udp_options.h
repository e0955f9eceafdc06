// What can be chosen about the UDP server. The keys of the JSON file (object `udp`) are named
// beside each field.
//
// Thread: immutable once validated
// Owner:  whoever starts the server; copied into it
// Life:   longer than the server
// Bounds: every field says its range
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "ssxrver/base/clock.h"
#include "ssxrver/net/rate.h"

namespace ssx::net {

/// The `udp` object.
struct UdpOptions {
  bool enabled = false;    ///< `enabled`
  std::string address;     ///< `address`: IPv4 or IPv6 literal; empty = the top-level `address`
  std::uint16_t port = 0;  ///< `port`: 0 = any free port, which the log names
  std::size_t packet_max = 2048;  ///< `max_packet`: 64 .. 65535; longer ones are dropped, counted
  std::size_t batch = 32;         ///< `batch`: 1 .. 1024 datagrams per system call
  /// `reply_ratio`: bytes sent to a source per byte received from it, so that a forged source
  /// cannot turn the server into an amplifier; 1 .. 100, 0 = no limit.
  unsigned reply_ratio = 3;
  /// `rate_per_source`: datagrams above it are dropped and counted.
  Rate rate_per_source{1000, std::chrono::seconds(1), 2000};
  std::uint16_t source_port_min = 1;  ///< lower source ports are dropped (hardened: 1024)
  std::string handler = "echo";       ///< `handler`: "echo"
  bool operator==(const UdpOptions&) const = default;
};

}  // namespace ssx::net
