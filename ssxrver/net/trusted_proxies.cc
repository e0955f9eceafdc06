#include "ssxrver/net/trusted_proxies.h"

#include <utility>

namespace ssx::net {

Result<TrustedProxies> TrustedProxies::create(const std::vector<std::string>& entries) {
  TrustedProxies trusted;
  std::vector<std::string> networks = entries;
  trusted.unix_ = std::erase(networks, kUnix) > 0;
  trusted.is_empty_ = entries.empty();
  SSX_TRY(trusted.networks_, IpNetworkSet::create(networks));
  return trusted;
}

}  // namespace ssx::net
