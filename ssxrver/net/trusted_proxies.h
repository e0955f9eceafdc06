// Whose word is taken for who the client is (`access.trusted_proxies`).
//
// Thread: immutable
// Owner:  Admission; the http layer has a copy
// Life:   any
// Bounds: those of IpNetworkSet
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "ssxrver/base/result.h"
#include "ssxrver/net/ip_network.h"

namespace ssx::net {

class TrustedProxies {
 public:
  static constexpr std::string_view kUnix = "unix";

  TrustedProxies() = default;
  /// Addresses and networks, and "unix" for whoever comes through a unix socket.
  static Result<TrustedProxies> create(const std::vector<std::string>& entries);

  [[nodiscard]] bool contains(const SocketAddress& peer) const noexcept {
    if (is_empty_) return false;
    return peer.family() == SocketAddress::Family::kUnix ? unix_ : networks_.contains(peer);
  }
  [[nodiscard]] bool empty() const noexcept { return is_empty_; }

 private:
  IpNetworkSet networks_;
  bool unix_ = false;
  bool is_empty_ = true;
};

}  // namespace ssx::net
