// So many requests of each client, and 429 above that: for one route, a group, or all of them.
//
// Thread: as Middleware; one rate over all loops, exactly
// Owner:  what it is around; copies of one Middleware count together
// Life:   -
// Bounds: RateLimitOptions::addresses_max clients; above that the one whose rate has recovered the
//         most is forgotten
//
//   app.post("/login", handler, {.middleware = {*rate_limit({.rate = {5, 60s, 3}})}});
#pragma once

#include <cstddef>

#include "http/middleware.h"
#include "ssxrver/base/result.h"
#include "ssxrver/net/address_rates.h"

namespace ssx::http {

struct RateLimitOptions {
  static constexpr std::size_t kAddressesMax = std::size_t{1} << 24;

  net::Rate rate = {};                                           ///< no `events`: no limit
  std::size_t addresses_max = net::AddressRates::kAddressesMax;  ///< 1 .. kAddressesMax
};

/// Request::client() is counted, which behind a trusted proxy is whom that one names; whoever comes
/// over a unix socket is not. 429 says in Retry-After when to come back, and is counted under
/// Errc::kTooManyRequests. kInvalidArgument for an `addresses_max` that is out of its range, or an
/// error of the system's source of random numbers.
[[nodiscard]] Result<Middleware> rate_limit(const RateLimitOptions& options);

}  // namespace ssx::http
