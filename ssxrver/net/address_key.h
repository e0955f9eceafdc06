// Whom a limit per address means: an IPv4 address, or an IPv6 /64 network, because the rest of an
// IPv6 address is free to choose. Ports do not matter.
//
// Thread: values
// Owner:  whoever holds one
// Life:   any
// Bounds: 16 bytes
#pragma once

#include <cstddef>
#include <cstdint>

#include "ssxrver/net/socket_address.h"

namespace ssx::net {

struct AddressKey {
  std::uint64_t network = 0;
  SocketAddress::Family family = SocketAddress::Family::kNone;

  /// Unix sockets have no address: their family alone.
  static AddressKey of(const SocketAddress& address) noexcept;
  /// False for unix sockets: who may use those is the file's business.
  [[nodiscard]] bool is_ip() const noexcept {
    return family == SocketAddress::Family::kIpv4 || family == SocketAddress::Family::kIpv6;
  }
  /// `seed`: unknown outside, so that nobody can choose whose place he takes in a table.
  [[nodiscard]] std::uint64_t hash(std::uint64_t seed) const noexcept;

  friend bool operator==(const AddressKey&, const AddressKey&) = default;
};

}  // namespace ssx::net
