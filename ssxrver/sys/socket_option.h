// Socket options by name, so that no other folder needs the kernel's numbers.
//
// Thread: any thread
// Owner:  descriptors are borrowed
// Life:   each call stands alone
// Bounds: as the kernel's
#pragma once

#include <cstdint>

#include "ssxrver/base/result.h"

namespace ssx::sys {

enum class SocketOption : std::uint8_t {
  kReuseAddress,
  kReusePort,
  kKeepAlive,
  kSendBuffer,
  kReceiveBuffer,
  kAcceptsConnections,  ///< read only: 1 when it is listening
  kIpv6Only,
  kTellLocalIpv4,  ///< datagrams come with the address they were sent to
  kTellLocalIpv6,
  kNoDelay,
  kQuickAck,
  kKeepIdleSeconds,
  kKeepIntervalSeconds,
  kKeepCount,
  kUserTimeoutMs,
  kFastOpen,
  kDeferAcceptSeconds,
  kNotSentLowat,
  kPortAtConnect,  ///< bind() without a port leaves it to connect(), which knows more free ones
};

Result<void> set_option(int fd, SocketOption option, int value);
Result<int> get_option(int fd, SocketOption option);

}  // namespace ssx::sys
