#include "ssxrver/net/admission.h"

#include <span>
#include <utility>

#include "ssxrver/base/assert.h"
#include "ssxrver/base/log.h"
#include "ssxrver/sys/process.h"

namespace ssx::net {
namespace {

using Verdict = Admission::Verdict;

Result<std::uint64_t> random_seed() {
  std::uint64_t seed = 0;
  SSX_TRY_VOID(sys::random_bytes(std::as_writable_bytes(std::span(&seed, 1))));
  return seed;
}

}  // namespace

Result<std::unique_ptr<Admission>> Admission::create(const std::vector<std::string>& blocked,
                                                     const AccessOptions& options) {
  std::unique_ptr<Admission> admission(new Admission);
  SSX_TRY(admission->blocked_, IpNetworkSet::create(blocked));
  SSX_TRY(admission->denied_, IpNetworkSet::create(options.deny));
  SSX_TRY(admission->allowed_, IpNetworkSet::create(options.allow));
  SSX_TRY(admission->proxies_, TrustedProxies::create(options.trusted_proxies));
  SSX_TRY(const std::uint64_t seed, random_seed());
  if (options.connections_per_ip > 0) {
    admission->counts_ = std::make_unique<AddressCounts>(options.connections_per_ip, seed);
  }
  if (options.accept_rate_per_ip.events > 0) {
    admission->rates_ = std::make_unique<AddressRates>(options.accept_rate_per_ip, seed);
  }
  return admission;
}

Verdict Admission::judge_peer(const SocketAddress& peer, ProxyMode mode, TimePoint now) {
  const bool is_proxy = proxies_.contains(peer);
  if (is_proxy) {
    if (blocked_.contains(peer)) return Verdict::kBlocked;
    return denied_.contains(peer) ? Verdict::kDenied : Verdict::kWelcome;
  }
  const Verdict listed = judge_lists(peer);
  if (listed != Verdict::kWelcome) return listed;
  return mode == ProxyMode::kOn ? Verdict::kUntrusted : judge_limits(peer, now);
}

Verdict Admission::judge_client(const SocketAddress& client, TimePoint now) {
  const Verdict listed = judge_lists(client);
  return listed == Verdict::kWelcome ? judge_limits(client, now) : listed;
}

void Admission::leave(const SocketAddress& address) noexcept {
  SSX_ASSERT(counts_ != nullptr);
  counts_->remove(AddressKey::of(address));
}

bool Admission::is_allowed(const SocketAddress& address) const noexcept {
  return judge_lists(address) == Verdict::kWelcome;
}

std::uint32_t Admission::connections_of(const SocketAddress& address) const noexcept {
  return counts_ == nullptr ? 0 : counts_->of(AddressKey::of(address));
}

Verdict Admission::judge_lists(const SocketAddress& address) const noexcept {
  if (blocked_.contains(address)) return Verdict::kBlocked;
  if (denied_.contains(address)) return Verdict::kDenied;
  const bool is_listed = allowed_.empty() || allowed_.contains(address) ||
                         address.family() == SocketAddress::Family::kUnix;
  return is_listed ? Verdict::kWelcome : Verdict::kDenied;
}

// The rate first: one that is refused for it takes no place, and one that finds no place has tried.
Verdict Admission::judge_limits(const SocketAddress& address, TimePoint now) {
  if (rates_ != nullptr && !rates_->take(address, now)) return Verdict::kTooFast;
  if (counts_ == nullptr) return Verdict::kWelcome;
  const AddressKey key = AddressKey::of(address);
  if (!key.is_ip()) return Verdict::kWelcome;
  return counts_->try_add(key) ? Verdict::kWelcomeCounted : Verdict::kTooMany;
}

void note_refusal(AcceptCounters& counters, Verdict verdict, const SocketAddress& address) {
  const char* why = "";
  switch (verdict) {
    case Verdict::kWelcome:
    case Verdict::kWelcomeCounted:
      return;
    case Verdict::kBlocked:
      counters.blocked.add();
      why = "blocked";
      break;
    case Verdict::kDenied:
      counters.denied.add();
      why = "denied";
      break;
    case Verdict::kUntrusted:
      counters.proxy_untrusted.add();
      why = "not a trusted proxy";
      break;
    case Verdict::kTooFast:
      counters.limit_accept_rate_per_ip_hit.add();
      why = "connects too often";
      break;
    case Verdict::kTooMany:
      counters.limit_connections_per_ip_hit.add();
      why = "has too many connections";
      break;
  }
  SSX_LOG_RATED(WARN, std::chrono::seconds(1), "{}: {}", why, address.to_string());
}

}  // namespace ssx::net
