// Networks of IP addresses, "10.0.0.0/8" or "2001:db8::/32", and sets of them.
//
// The families are apart: "::/0" holds no IPv4 address. An IPv4-mapped IPv6 address or network is
// the IPv4 one that it means.
//
// Thread: immutable
// Owner:  whoever built it
// Life:   any
// Bounds: a set takes O(n log n) once and O(log n) per look-up, whatever overlaps
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "ssxrver/base/result.h"
#include "ssxrver/net/socket_address.h"

namespace ssx::net {

class IpNetwork {
 public:
  /// "10.0.0.1", "10.0.0.0/8", "2001:db8::/32"; bits of the host do not matter. kBadAddress for
  /// anything else.
  static Result<IpNetwork> parse(std::string_view text);

  /// The lowest address, of IPv4 or IPv6, with port 0.
  [[nodiscard]] const SocketAddress& address() const noexcept { return address_; }
  [[nodiscard]] unsigned prefix() const noexcept { return prefix_; }
  [[nodiscard]] bool contains(const SocketAddress& address) const noexcept;
  /// "10.0.0.0/8"
  [[nodiscard]] std::string to_string() const;

  friend bool operator==(const IpNetwork&, const IpNetwork&) = default;

 private:
  IpNetwork(const SocketAddress& address, unsigned prefix) : address_(address), prefix_(prefix) {}

  SocketAddress address_;
  unsigned prefix_ = 0;
};

/// Whether an address is in any of many networks.
class IpNetworkSet {
 public:
  IpNetworkSet() = default;
  explicit IpNetworkSet(const std::vector<IpNetwork>& networks);
  /// As IpNetwork::parse.
  static Result<IpNetworkSet> create(const std::vector<std::string>& entries);

  /// Never true for a unix socket.
  [[nodiscard]] bool contains(const SocketAddress& address) const noexcept;
  [[nodiscard]] bool empty() const noexcept { return v4_.empty() && v6_.empty(); }

 private:
  using V4 = std::uint32_t;
  using V6 = std::array<std::uint64_t, 2>;
  template <class Address>
  struct Range {
    Address first;
    Address last;
  };

  std::vector<Range<V4>> v4_;  ///< both sorted, disjoint
  std::vector<Range<V6>> v6_;
};

}  // namespace ssx::net
