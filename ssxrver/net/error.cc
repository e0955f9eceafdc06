#include "ssxrver/net/error.h"

#include <string>

namespace ssx::net {
namespace {

class NetCategory final : public std::error_category {
 public:
  const char* name() const noexcept override { return "ssx.net"; }
  std::string message(int value) const override {
    switch (static_cast<Errc>(value)) {
      case Errc::kOk:
        return "ok";
      case Errc::kEof:
        return "closed by the peer";
      case Errc::kWouldBlock:
        return "would block";
      case Errc::kClosed:
        return "closed by this side";
      case Errc::kTimedOut:
        return "timed out";
      case Errc::kInputOverflow:
        return "too much unread input";
      case Errc::kOutputOverflow:
        return "too much unsent output";
      case Errc::kStale:
        return "the connection has ended";
      case Errc::kFileTruncated:
        return "the file became shorter while it was sent";
      case Errc::kOverload:
        return "closed under overload";
      case Errc::kShutdown:
        return "the server is stopping";
      case Errc::kTaskFailed:
        return "the work threw";
      case Errc::kTaskQueueFull:
        return "too much work waits";
      case Errc::kBadAddress:
        return "not an address";
      case Errc::kBadProxyHeader:
        return "not a header of the PROXY protocol";
      case Errc::kRefused:
        return "this client is not let in";
      case Errc::kBadProxyAnswer:
        return "not an answer of SOCKS5";
      case Errc::kProxyLogin:
        return "the proxy does not take this user and password";
      case Errc::kProxyRefused:
        return "the proxy refuses";
    }
    return "unknown net error";
  }
};

}  // namespace

const std::error_category& net_category() noexcept {
  static const NetCategory category;
  return category;
}

std::error_code make_error_code(Errc code) noexcept {
  return {static_cast<int>(code), net_category()};
}

}  // namespace ssx::net
