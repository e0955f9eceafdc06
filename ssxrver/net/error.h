// Errors of the net layer.
//
// Thread: values
// Owner:  -
// Life:   -
// Bounds: -
#pragma once

#include <system_error>
#include <type_traits>

namespace ssx::net {

enum class Errc : int {
  kOk = 0,
  kEof,             ///< the peer has closed its side and everything was read
  kWouldBlock,      ///< nothing has arrived, or no room to send: come back when the poller says so
  kClosed,          ///< this side has closed the connection
  kTimedOut,        ///< a deadline passed first
  kInputOverflow,   ///< more unconsumed input than ConnectionOptions::input_max
  kOutputOverflow,  ///< more unsent output than the connection may queue
  kStale,           ///< the ConnectionId named a connection that has ended
  kFileTruncated,   ///< a file became shorter while it was being sent
  kOverload,        ///< closed to make room for others
  kShutdown,        ///< the server is stopping
  kTaskFailed,      ///< work on a task thread threw; the log says what
  kTaskQueueFull,   ///< no room for the work that a task thread would do (TaskOptions::queue_limit)
  kBadAddress,      ///< not an IP address, port or socket path
  kBadProxyHeader,  ///< not a header of the PROXY protocol, or one that is too long
  kRefused,         ///< this client is not let in
  kBadProxyAnswer,  ///< of a proxy that we ask: no SOCKS5
  kProxyLogin,      ///< it wants a user and a password, or others
  kProxyRefused,    ///< it makes no way to this host
};

const std::error_category& net_category() noexcept;
std::error_code make_error_code(Errc code) noexcept;

}  // namespace ssx::net

template <>
struct std::is_error_code_enum<ssx::net::Errc> : std::true_type {};
