// Addresses and ranges that are not let in (`blocks_ip`).
//
// Thread: immutable
// Owner:  whoever built it; shared between acceptors by const reference
// Life:   longer than the acceptors
// Bounds: O(log n) per look-up after merging
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "ssxrver/base/result.h"
#include "ssxrver/net/socket_address.h"

namespace ssx::net {

class IpBlockList {
 public:
  IpBlockList() = default;
  /// Entries like "10.0.0.1", "10.0.0.0/8", "2001:db8::/32". kBadAddress for anything else.
  static Result<IpBlockList> create(const std::vector<std::string>& entries);
  /// Whether one entry would be understood.
  [[nodiscard]] static bool is_valid(std::string_view entry);

  [[nodiscard]] bool contains(const SocketAddress& peer) const noexcept;
  [[nodiscard]] bool empty() const noexcept { return ranges_.empty(); }

 private:
  /// IPv4 addresses are kept as ::ffff:a.b.c.d, so that one sorted table serves both.
  using Key = std::array<std::uint8_t, 16>;
  struct Range {
    Key first;
    Key last;
  };
  static Result<Range> parse(std::string_view entry);
  static Key key_of(const SocketAddress& address) noexcept;

  std::vector<Range> ranges_;  ///< sorted, disjoint
};

}  // namespace ssx::net
