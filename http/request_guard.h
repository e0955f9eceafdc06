// What is asked about a request before it reaches its handler: who the client is, whether he is let
// in, whether he asks too often, and whether there is memory left for it.
//
// Thread: any thread
// Owner:  Service
// Life:   that of the server
// Bounds: HttpOptions::request_rates; each holds net::AddressRates::kAddressesMax addresses
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "http/client_rate.h"
#include "http/error.h"
#include "http/fields.h"
#include "http/forwarded.h"
#include "http/options.h"
#include "ssxrver/base/clock.h"
#include "ssxrver/base/result.h"
#include "ssxrver/net/admission.h"
#include "ssxrver/net/overload.h"

namespace ssx::http {

class RequestGuard {
 public:
  struct Verdict {
    Errc error = Errc::kOk;               ///< kClientDenied, kTooManyRequests, kOverloaded
    std::chrono::seconds retry_after{0};  ///< 0: not to be said
  };
  /// How soon one may try again who was refused for want of memory.
  static constexpr std::chrono::seconds kMemoryRetry{5};

  /// `trusted_proxies`: net::AccessOptions::trusted_proxies. `admission` and `overload` may be
  /// null: nobody is denied, there is always memory.
  static Result<std::unique_ptr<RequestGuard>> create(
      const std::vector<std::string>& trusted_proxies, RealIpHeader header,
      const std::vector<RequestRateOptions>& rates, const net::Admission* admission = nullptr,
      const net::Overload* overload = nullptr);

  [[nodiscard]] const ProxyTrust& trust() const noexcept { return trust_; }
  /// Else client_of() is the peer, whatever the request says.
  [[nodiscard]] bool trusts_anybody() const noexcept { return !trust_.proxies.empty(); }
  [[nodiscard]] net::SocketAddress client_of(const net::SocketAddress& peer,
                                             const Fields& fields) const noexcept {
    return client_address(peer, fields, trust_);
  }
  /// `client` is client_of(peer). Takes a token of the first of the rates whose `match` holds this
  /// path. Whom the socket's door has judged already is not judged by the lists again.
  [[nodiscard]] Verdict judge(const net::SocketAddress& peer, const net::SocketAddress& client,
                              std::string_view path, TimePoint now) noexcept;
  /// Short of memory or of room for connections: each ends with its answer.
  [[nodiscard]] bool ends_connections() const noexcept {
    return overload_ != nullptr && overload_->ends_connections();
  }
  /// Addresses that were forgotten before their rate had recovered: the tables are too small.
  [[nodiscard]] std::uint64_t forgotten() const noexcept;

 private:
  struct Rule {
    Rule(const RequestRateOptions& options, std::uint64_t seed);
    [[nodiscard]] bool holds(std::string_view path) const noexcept;

    std::string match;  ///< without its "*"
    bool is_prefix;
    ClientRate rate;
  };

  RequestGuard() = default;

  ProxyTrust trust_;
  std::vector<std::unique_ptr<Rule>> rules_;
  const net::Admission* admission_ = nullptr;
  const net::Overload* overload_ = nullptr;
};

}  // namespace ssx::http
