#include "ssxrver/app/listen_error.h"

#include <fmt/core.h>

#include <cerrno>

#include "ssxrver/net/error.h"

namespace ssx {

StartupError explain_listen_failure(const net::TcpServer::Failure& failure) {
  const Error& error = failure.error;
  const std::string& where = failure.listener;
  if (where.empty()) return {ExitCode::kSystem, fmt::format("cannot start: {}", error.message())};
  if (error.is_errno(EADDRINUSE)) {
    return {ExitCode::kUnavailable,
            fmt::format("{} is in use: stop the program that listens there, or choose another port",
                        where)};
  }
  const bool no_right = error.is_errno(EACCES) || error.is_errno(EPERM);
  if (no_right && where.starts_with("unix:")) {
    return {ExitCode::kNoPermission,
            fmt::format("no right to make {}: its folder must be writable for this user", where)};
  }
  if (no_right) {
    return {ExitCode::kNoPermission,
            fmt::format(
                "no right to listen on {}: a port below 1024 needs root or CAP_NET_BIND_SERVICE "
                "(setcap cap_net_bind_service=+ep on the program), or choose a port from 1024 on",
                where)};
  }
  if (error.is_errno(EADDRNOTAVAIL)) {
    return {ExitCode::kUnavailable,
            fmt::format(
                "{}: no interface of this machine has this address; use one of its own, 127.0.0.1, "
                "or * for all",
                where)};
  }
  if (error == make_error_code(net::Errc::kBadAddress)) {
    return {ExitCode::kConfig,
            fmt::format("{} is not an address: expected an IPv4 or IPv6 literal, or *", where)};
  }
  return {ExitCode::kUnavailable, fmt::format("cannot listen on {}: {}", where, error.message())};
}

}  // namespace ssx
