#include "ssxrver/sys/socket_option.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include "ssxrver/base/assert.h"
#include "ssxrver/sys/socket.h"

namespace ssx::sys {
namespace {

struct Numbers {
  int level;
  int name;
};

Numbers numbers_of(SocketOption option) noexcept {
  switch (option) {
    case SocketOption::kReuseAddress:
      return {SOL_SOCKET, SO_REUSEADDR};
    case SocketOption::kReusePort:
      return {SOL_SOCKET, SO_REUSEPORT};
    case SocketOption::kKeepAlive:
      return {SOL_SOCKET, SO_KEEPALIVE};
    case SocketOption::kSendBuffer:
      return {SOL_SOCKET, SO_SNDBUF};
    case SocketOption::kReceiveBuffer:
      return {SOL_SOCKET, SO_RCVBUF};
    case SocketOption::kAcceptsConnections:
      return {SOL_SOCKET, SO_ACCEPTCONN};
    case SocketOption::kIpv6Only:
      return {IPPROTO_IPV6, IPV6_V6ONLY};
    case SocketOption::kTellLocalIpv4:
      return {IPPROTO_IP, IP_PKTINFO};
    case SocketOption::kTellLocalIpv6:
      return {IPPROTO_IPV6, IPV6_RECVPKTINFO};
    case SocketOption::kNoDelay:
      return {IPPROTO_TCP, TCP_NODELAY};
    case SocketOption::kQuickAck:
      return {IPPROTO_TCP, TCP_QUICKACK};
    case SocketOption::kKeepIdleSeconds:
      return {IPPROTO_TCP, TCP_KEEPIDLE};
    case SocketOption::kKeepIntervalSeconds:
      return {IPPROTO_TCP, TCP_KEEPINTVL};
    case SocketOption::kKeepCount:
      return {IPPROTO_TCP, TCP_KEEPCNT};
    case SocketOption::kUserTimeoutMs:
      return {IPPROTO_TCP, TCP_USER_TIMEOUT};
    case SocketOption::kFastOpen:
      return {IPPROTO_TCP, TCP_FASTOPEN};
    case SocketOption::kDeferAcceptSeconds:
      return {IPPROTO_TCP, TCP_DEFER_ACCEPT};
    case SocketOption::kNotSentLowat:
      return {IPPROTO_TCP, TCP_NOTSENT_LOWAT};
    case SocketOption::kPortAtConnect:
      return {IPPROTO_IP, IP_BIND_ADDRESS_NO_PORT};
  }
  SSX_UNREACHABLE();
}

}  // namespace

Result<void> set_option(int fd, SocketOption option, int value) {
  const Numbers numbers = numbers_of(option);
  return set_option(fd, numbers.level, numbers.name, value);
}

Result<int> get_option(int fd, SocketOption option) {
  const Numbers numbers = numbers_of(option);
  return get_option(fd, numbers.level, numbers.name);
}

}  // namespace ssx::sys
