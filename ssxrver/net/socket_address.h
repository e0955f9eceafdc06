// The address of a peer: an IP address and a port, or just "a unix socket". Small, for every
// connection.
//
// Thread: a value
// Owner:  whoever holds it
// Life:   any
// Bounds: 24 bytes
#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "ssxrver/base/result.h"
#include "ssxrver/sys/socket.h"

namespace ssx::net {

class SocketAddress {
 public:
  enum class Family : std::uint8_t { kNone, kIpv4, kIpv6, kUnix };

  SocketAddress() noexcept = default;
  /// From a literal: "127.0.0.1", "::1", "fe80::1%2". kBadAddress otherwise.
  static Result<SocketAddress> parse(std::string_view ip, std::uint16_t port);
  /// IPv4-mapped IPv6 addresses become the IPv4 address they mean.
  static SocketAddress from_raw(const sys::RawAddress& raw) noexcept;
  /// From bytes in network order, as a header of the PROXY protocol has them.
  static SocketAddress from_ipv4(std::span<const std::uint8_t, 4> bytes,
                                 std::uint16_t port) noexcept;
  static SocketAddress from_ipv6(std::span<const std::uint8_t, 16> bytes,
                                 std::uint16_t port) noexcept;
  [[nodiscard]] sys::RawAddress to_raw() const noexcept;
  [[nodiscard]] SocketAddress with_port(std::uint16_t port) const noexcept {
    SocketAddress copy = *this;
    copy.port_ = port;
    return copy;
  }

  /// The IPv4 address that an IPv4-mapped IPv6 one means; every other one as it is.
  [[nodiscard]] SocketAddress unmapped() const noexcept;

  [[nodiscard]] Family family() const noexcept { return family_; }
  [[nodiscard]] std::uint16_t port() const noexcept { return port_; }
  /// 4 or 16 bytes in network order; none for a unix socket.
  [[nodiscard]] std::span<const std::uint8_t> bytes() const noexcept;
  /// "127.0.0.1", "::1", "unix"
  [[nodiscard]] std::string ip() const;
  /// The same without a string of its own: a view of `room`, or of a literal.
  static constexpr std::size_t kIpTextRoom = 64;
  [[nodiscard]] std::string_view write_ip(std::span<char, kIpTextRoom> room) const noexcept;
  /// "127.0.0.1:80", "[::1]:80", "unix"
  [[nodiscard]] std::string to_string() const;

  friend bool operator==(const SocketAddress&, const SocketAddress&) = default;

 private:
  std::array<std::uint8_t, 16> bytes_{};
  std::uint32_t scope_ = 0;
  std::uint16_t port_ = 0;
  Family family_ = Family::kNone;
};

static_assert(sizeof(SocketAddress) <= 24);

}  // namespace ssx::net
