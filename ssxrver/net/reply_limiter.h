// How much one source of datagrams may send, and how much may be sent back to it.
//
// The source address of a datagram proves nothing. Whoever forges it makes the server answer
// somebody else, so a source earns `ratio` bytes of reply for each byte it has sent, and no more.
// Sources are IPv4 addresses and IPv6 /64 networks: ports and the rest of an IPv6 address are free
// to choose.
//
// Thread: loop-only
// Owner:  UdpServer, by way of UdpFilter
// Life:   that of the server
// Bounds: sources_max sources in a fixed table; a new one takes the place of one that was quiet
//         longest among its few neighbours, and what that one had earned is lost
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "ssxrver/base/clock.h"
#include "ssxrver/net/address_key.h"
#include "ssxrver/net/rate.h"
#include "ssxrver/net/socket_address.h"
#include "ssxrver/net/udp_options.h"

namespace ssx::net {

class ReplyLimiter {
 public:
  struct Limits {
    unsigned ratio = 3;              ///< 0 = no limit
    Rate rate;                       ///< of datagrams; events 0 = no limit
    std::size_t sources_max = 1024;  ///< rounded up to a power of two
  };
  /// What a source may save up: a reply in several datagrams, not an hour's worth at once.
  static constexpr std::uint64_t kCreditMax = 1 << 20;

  /// `seed`: unknown outside, so that nobody can choose whose place he takes.
  ReplyLimiter(const Limits& limits, std::uint64_t seed);

  /// A datagram came. False: above the rate, drop it; it has earned nothing.
  [[nodiscard]] bool admit(const SocketAddress& from, std::size_t bytes, TimePoint now) noexcept;
  /// False: not earned, send nothing.
  [[nodiscard]] bool spend(const SocketAddress& to, std::size_t bytes) noexcept;

 private:
  struct Source {
    AddressKey key;
    std::uint64_t credit = 0;
    TimePoint full_at{};  ///< when the source may send a whole burst again
    TimePoint last_seen{};
  };
  static constexpr std::size_t kNeighbours = 4;

  std::span<Source> neighbours(const AddressKey& key) noexcept;
  Source* find(const AddressKey& key) noexcept;
  Source& find_or_replace(const AddressKey& key, TimePoint now) noexcept;

  const Limits limits_;
  const TokenBucket bucket_;
  const std::uint64_t seed_;
  std::vector<Source> sources_;  // groups of kNeighbours; their number is a power of two
};

}  // namespace ssx::net
