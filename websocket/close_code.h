// The codes with which a WebSocket ends, and who may say them (RFC 6455 7.4).
//
// Thread: immutable values
// Owner:  -
// Life:   -
// Bounds: 1000 .. 4999 on the wire
#pragma once

#include <cstdint>

namespace ssx::websocket {

enum class CloseCode : std::uint16_t {
  kNormal = 1000,
  kGoingAway = 1001,      ///< the server ends, or the page is left
  kProtocolError = 1002,  ///< bytes that are no frame, or a frame that may not come now
  kUnsupportedData = 1003,
  kNoStatus = 1005,  ///< never sent: the peer's close frame named none
  kAbnormal = 1006,  ///< never sent: the connection ended without a close frame
  kInvalidPayload = 1007,
  kPolicyViolation = 1008,
  kMessageTooBig = 1009,
  kMandatoryExtension = 1010,
  kInternalError = 1011,
  kServiceRestart = 1012,
  kTryAgainLater = 1013,
  kBadGateway = 1014,
};

[[nodiscard]] constexpr std::uint16_t to_int(CloseCode code) noexcept {
  return static_cast<std::uint16_t>(code);
}

/// Whether a close frame may carry it: what the RFC and the registry define, and 3000 .. 4999,
/// which are for libraries and programs.
[[nodiscard]] constexpr bool may_be_sent(CloseCode code) noexcept {
  const std::uint16_t number = to_int(code);
  if (number >= 3000 && number <= 4999) return true;
  return number >= 1000 && number <= 1014 && (number < 1004 || number > 1006);
}

}  // namespace ssx::websocket
