#include "ssxrver/net/reply_limiter.h"

#include <algorithm>
#include <bit>

namespace ssx::net {

ReplyLimiter::ReplyLimiter(const Limits& limits, std::uint64_t seed)
    : limits_(limits),
      bucket_(limits.rate),
      seed_(seed),
      sources_(std::bit_ceil(std::max(limits.sources_max, kNeighbours))) {}

bool ReplyLimiter::admit(const SocketAddress& from, std::size_t bytes, TimePoint now) noexcept {
  Source& source = find_or_replace(AddressKey::of(from), now);
  source.last_seen = now;
  if (!bucket_.take(source.full_at, now)) return false;
  const std::uint64_t earned = std::min<std::uint64_t>(bytes, kCreditMax) * limits_.ratio;
  source.credit = std::min(kCreditMax, source.credit + earned);
  return true;
}

bool ReplyLimiter::spend(const SocketAddress& to, std::size_t bytes) noexcept {
  if (limits_.ratio == 0) return true;
  Source* const source = find(AddressKey::of(to));
  if (source == nullptr || source->credit < bytes) return false;
  source->credit -= bytes;
  return true;
}

std::span<ReplyLimiter::Source> ReplyLimiter::neighbours(const AddressKey& key) noexcept {
  const std::size_t group = key.hash(seed_) & (sources_.size() / kNeighbours - 1);
  return std::span(sources_).subspan(group * kNeighbours, kNeighbours);
}

ReplyLimiter::Source* ReplyLimiter::find(const AddressKey& key) noexcept {
  for (Source& source : neighbours(key)) {
    if (source.key == key) return &source;
  }
  return nullptr;
}

ReplyLimiter::Source& ReplyLimiter::find_or_replace(const AddressKey& key, TimePoint now) noexcept {
  if (Source* const known = find(key); known != nullptr) return *known;
  const auto group = neighbours(key);
  Source& oldest = *std::ranges::min_element(group, {}, &Source::last_seen);
  oldest = Source{.key = key, .full_at = now, .last_seen = now};
  return oldest;
}

}  // namespace ssx::net
