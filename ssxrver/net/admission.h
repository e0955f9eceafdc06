// Who is let in: lists of addresses, how often one address may connect, and how many connections it
// may have.
//
//   blocks_ip, deny    never, whatever else is said
//   trusted_proxies    they speak for others: neither `allow` nor the limits per address is for
//   them allow              when it has any entry, nobody else limits per address of those who are
//   left
//
// Unix sockets have no addresses: who may use one is up to its permissions.
//
// Thread: any thread
// Owner:  TcpServer
// Life:   longer than acceptors and connections
// Bounds: those of AddressCounts and AddressRates
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "ssxrver/base/clock.h"
#include "ssxrver/base/result.h"
#include "ssxrver/net/address_counts.h"
#include "ssxrver/net/address_rates.h"
#include "ssxrver/net/counters.h"
#include "ssxrver/net/ip_network.h"
#include "ssxrver/net/options.h"
#include "ssxrver/net/trusted_proxies.h"

namespace ssx::net {

class Admission {
 public:
  enum class Verdict : std::uint8_t {
    kWelcome,         ///< not counted
    kWelcomeCounted,  ///< has a place of its address, which leave() gives back
    kBlocked,
    kDenied,
    kUntrusted,
    kTooFast,
    kTooMany,
  };

  /// `blocked`: WorkerOptions::blocked.
  static Result<std::unique_ptr<Admission>> create(const std::vector<std::string>& blocked,
                                                   const AccessOptions& options);

  /// Somebody connects to a listener of this mode.
  [[nodiscard]] Verdict judge_peer(const SocketAddress& peer, ProxyMode mode, TimePoint now);
  /// A proxy names the client for whom it has connected.
  [[nodiscard]] Verdict judge_client(const SocketAddress& client, TimePoint now);
  /// Gives back the place of one who was kWelcomeCounted.
  void leave(const SocketAddress& address) noexcept;
  /// What the lists say, and they alone.
  [[nodiscard]] bool is_allowed(const SocketAddress& address) const noexcept;
  [[nodiscard]] const TrustedProxies& proxies() const noexcept { return proxies_; }
  /// Connections of this address; 0 when nobody counts.
  [[nodiscard]] std::uint32_t connections_of(const SocketAddress& address) const noexcept;

 private:
  Admission() = default;
  [[nodiscard]] Verdict judge_lists(const SocketAddress& address) const noexcept;
  [[nodiscard]] Verdict judge_limits(const SocketAddress& address, TimePoint now);

  IpNetworkSet blocked_;
  IpNetworkSet denied_;
  IpNetworkSet allowed_;
  TrustedProxies proxies_;
  std::unique_ptr<AddressCounts> counts_;  ///< null: no limit
  std::unique_ptr<AddressRates> rates_;    ///< null: no limit
};

[[nodiscard]] constexpr bool is_welcome(Admission::Verdict verdict) noexcept {
  return verdict == Admission::Verdict::kWelcome || verdict == Admission::Verdict::kWelcomeCounted;
}
/// Counts a refusal, and says in the log, at a limited rate, whom it concerned.
void note_refusal(AcceptCounters& counters, Admission::Verdict verdict,
                  const SocketAddress& address);

}  // namespace ssx::net
