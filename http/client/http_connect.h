// A tunnel through an HTTP proxy (RFC 9110 9.3.6, RFC 9112 3.2.3): bytes in, bytes out. Pure.
//
// Thread: a value
// Owner:  whoever has the connection to the proxy
// Life:   one tunnel
// Bounds: kLimits of the answer's head; kInterimMax 1xx before it
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "http/client/response_head.h"
#include "http/client/response_parser.h"
#include "http/options.h"
#include "ssxrver/base/result.h"
#include "ssxrver/net/tunnel.h"

namespace ssx::http {

class HttpConnect {
 public:
  static constexpr ParserLimits kLimits{};
  static constexpr std::size_t kInterimMax = 8;

  /// `host`: a name or an address, an IPv6 address without its brackets. Without a user no
  /// credentials are sent (Basic, RFC 7617). net::Errc::kBadAddress: a host that no authority
  /// holds. ssx::Errc::kInvalidArgument: a user with a colon or a control character, or a password
  /// with one.
  static Result<HttpConnect> create(std::string_view host, std::uint16_t port,
                                    std::string_view user, std::string_view password);

  /// What is said first.
  void begin(std::string& out) const { out.append(request_); }
  /// Takes what it understands of `bytes`, which begin behind what it took before. kDone: what
  /// follows is the tunnel's. Errors: net::Errc::kProxyLogin (407) and kProxyRefused, and those of
  /// ResponseParser.
  net::TunnelStep feed(std::string_view bytes, std::string& out);

  /// What the proxy has answered; 0 before.
  [[nodiscard]] std::uint16_t status() const noexcept { return head_.status; }

 private:
  explicit HttpConnect(std::string request);

  std::string request_;
  ResponseParser parser_{kLimits};
  ResponseHead head_;
  std::size_t interim_ = 0;
};

}  // namespace ssx::http
