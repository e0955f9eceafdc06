// Which datagrams are worth handing up. Pure: no socket, no clock.
//
// Thread: loop-only
// Owner:  UdpServer
// Life:   that of the server
// Bounds: packet_max, source_port_min, rate_per_source and reply_ratio of UdpOptions; kSourcesMax
//         sources are remembered
#pragma once

#include <cstddef>
#include <cstdint>

#include "ssxrver/net/reply_limiter.h"
#include "ssxrver/net/udp_options.h"

namespace ssx::net {

/// What is known of a datagram before anybody looks into it.
struct Arrival {
  SocketAddress from;
  std::size_t bytes = 0;
  bool truncated = false;       ///< it was longer than packet_max
  bool from_ourselves = false;  ///< our own socket is the source: an answer would never end
};

enum class UdpVerdict : std::uint8_t {
  kPass,
  kTruncated,
  kEmpty,       ///< nothing in it, so no reply is earned
  kSourcePort,  ///< nobody can be there to take an answer, or a service that must not be bothered
  kOwnAddress,
  kRate,
};

class UdpFilter {
 public:
  static constexpr std::size_t kSourcesMax = 4096;

  UdpFilter(const UdpOptions& options, std::uint64_t seed, std::size_t sources_max = kSourcesMax)
      : source_port_min_(options.source_port_min),
        limiter_({.ratio = options.reply_ratio,
                  .rate = options.rate_per_source,
                  .sources_max = sources_max},
                 seed) {}

  /// Counts the datagram against its source when it passes.
  [[nodiscard]] UdpVerdict judge(const Arrival& arrival, TimePoint now) noexcept;
  /// Has this source earned a reply of so many bytes? They are spent then.
  [[nodiscard]] bool may_send(const SocketAddress& to, std::size_t bytes) noexcept {
    return limiter_.spend(to, bytes);
  }

 private:
  const std::uint16_t source_port_min_;
  ReplyLimiter limiter_;
};

}  // namespace ssx::net
