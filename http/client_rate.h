// How often one client may ask, and when he may come back who asked too often.
//
// Thread: any thread: it is one rate over all loops
// Owner:  RequestGuard, the middleware rate_limit()
// Life:   that of the server
// Bounds: net::AddressRates
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>

#include "ssxrver/base/clock.h"
#include "ssxrver/net/address_rates.h"

namespace ssx::http {

class ClientRate {
 public:
  /// `seed`: AddressKey::hash.
  ClientRate(const net::Rate& rate, std::uint64_t seed,
             std::size_t addresses_max = net::AddressRates::kAddressesMax)
      : rates_(rate, seed, addresses_max) {}

  /// Takes a token of this client: 0, or if he has none the whole seconds until he has one.
  [[nodiscard]] std::chrono::seconds take(const net::SocketAddress& client, TimePoint now) noexcept;
  /// Addresses that were forgotten before their rate had recovered: the table is too small.
  [[nodiscard]] std::uint64_t forgotten() const noexcept { return rates_.forgotten(); }

 private:
  net::AddressRates rates_;
};

}  // namespace ssx::http
