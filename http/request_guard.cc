#include "http/request_guard.h"

#include <span>

#include "ssxrver/sys/process.h"

namespace ssx::http {

RequestGuard::Rule::Rule(const RequestRateOptions& options, std::uint64_t seed)
    : match(options.match), is_prefix(match.ends_with('*')), rate(options.rate, seed) {
  if (is_prefix) match.pop_back();
}

bool RequestGuard::Rule::holds(std::string_view path) const noexcept {
  return is_prefix ? path.starts_with(match) : path == match;
}

Result<std::unique_ptr<RequestGuard>> RequestGuard::create(
    const std::vector<std::string>& trusted_proxies, RealIpHeader header,
    const std::vector<RequestRateOptions>& rates, const net::Admission* admission,
    const net::Overload* overload) {
  std::unique_ptr<RequestGuard> guard(new RequestGuard);
  SSX_TRY(guard->trust_.proxies, net::TrustedProxies::create(trusted_proxies));
  guard->trust_.header = header;
  guard->admission_ = admission;
  guard->overload_ = overload;
  std::uint64_t seed = 0;
  SSX_TRY_VOID(sys::random_bytes(std::as_writable_bytes(std::span(&seed, 1))));
  for (const RequestRateOptions& rate : rates) {
    guard->rules_.push_back(std::make_unique<Rule>(rate, seed));
  }
  return guard;
}

// In the order of what they cost, and so that whoever is refused has spent nothing.
RequestGuard::Verdict RequestGuard::judge(const net::SocketAddress& peer,
                                          const net::SocketAddress& client, std::string_view path,
                                          TimePoint now) noexcept {
  if (overload_ != nullptr && overload_->level() >= net::OverloadLevel::kRefuse)
    return {Errc::kOverloaded, kMemoryRetry};
  const bool is_named = &client != &peer && !(client == peer);
  if (is_named && admission_ != nullptr && !admission_->is_allowed(client)) {
    return {Errc::kClientDenied};
  }
  for (const auto& rule : rules_) {
    if (!rule->holds(path)) continue;
    const auto wait = rule->rate.take(client, now);
    if (wait.count() == 0) return {};
    return {Errc::kTooManyRequests, wait};
  }
  return {};
}

std::uint64_t RequestGuard::forgotten() const noexcept {
  std::uint64_t sum = 0;
  for (const auto& rule : rules_) sum += rule->rate.forgotten();
  return sum;
}

}  // namespace ssx::http
