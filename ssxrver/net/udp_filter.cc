#include "ssxrver/net/udp_filter.h"

namespace ssx::net {

UdpVerdict UdpFilter::judge(const Arrival& arrival, TimePoint now) noexcept {
  if (arrival.truncated) return UdpVerdict::kTruncated;
  if (arrival.bytes == 0) return UdpVerdict::kEmpty;
  // Port 0 means "none" (RFC 768): nothing can be sent there.
  if (arrival.from.port() == 0 || arrival.from.port() < source_port_min_)
    return UdpVerdict::kSourcePort;
  if (arrival.from_ourselves) return UdpVerdict::kOwnAddress;
  if (!limiter_.admit(arrival.from, arrival.bytes, now)) return UdpVerdict::kRate;
  return UdpVerdict::kPass;
}

}  // namespace ssx::net
