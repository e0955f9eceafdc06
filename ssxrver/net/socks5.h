// The client's side of SOCKS5 (RFC 1928) with user and password (RFC 1929): bytes in, bytes out.
// Pure.
//
// Thread: a value
// Owner:  whoever has the connection to the proxy
// Life:   one tunnel
// Bounds: names and passwords of 1 to 255 bytes; an answer is at most kAnswerMax bytes
//
// The proxy looks the name of the host up ("socks5h"): nothing of it is asked here. A literal
// address goes as an address.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "ssxrver/base/result.h"
#include "ssxrver/net/tunnel.h"

namespace ssx::net {

class Socks5 {
 public:
  static constexpr std::size_t kAnswerMax = 4 + 1 + 255 + 2;

  /// Errc::kBadAddress: a host that is empty or longer than 255 bytes. ssx::Errc::kInvalidArgument:
  /// so is a user or a password, where there is a user.
  static Result<Socks5> create(std::string_view host, std::uint16_t port, std::string_view user,
                               std::string_view password);

  /// What is said first.
  void begin(std::string& out);
  /// Takes what it understands of `bytes`, which begin behind what it took before, and appends what
  /// is to be said. kDone: what follows is the tunnel's. Errors: kBadProxyAnswer, kProxyLogin,
  /// kProxyRefused, and what the system would say of the host: ECONNREFUSED, EHOSTUNREACH,
  /// ENETUNREACH, ETIMEDOUT.
  TunnelStep feed(std::string_view bytes, std::string& out);

 private:
  enum class State : std::uint8_t { kMethod, kLogin, kReply, kOver };

  TunnelStep take_method(std::string_view bytes, std::string& out);
  TunnelStep take_login(std::string_view bytes, std::string& out);
  TunnelStep take_reply(std::string_view bytes);
  TunnelStep failed(const Error& error);
  void ask(std::string& out);

  State state_ = State::kMethod;
  std::string address_;  ///< as a request has it: type, address, port
  std::string login_;    ///< as RFC 1929 has it; empty = none
};

}  // namespace ssx::net
