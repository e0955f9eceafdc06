#include "ssxrver/net/reply_limiter.h"

#include <algorithm>
#include <bit>

#include "ssxrver/base/assert.h"
#include "ssxrver/base/bytes.h"

namespace ssx::net {
namespace {

Duration interval_of(const Rate& rate) noexcept {
  if (rate.events == 0) return Duration::zero();
  return std::max(Duration(1), Duration(rate.per) / rate.events);
}

// Half of the clock's range is for ever; the other half leaves room to add to it.
Duration tolerance_of(const Rate& rate) noexcept {
  constexpr Duration kEver = Duration::max() / 2;
  const Duration interval = interval_of(rate);
  const std::uint32_t ahead = std::max<std::uint32_t>(rate.burst, 1) - 1;
  if (ahead != 0 && interval > kEver / ahead) return kEver;
  return interval * ahead;
}

// The finisher of SplitMix64: every bit of the input moves every bit of the result.
std::uint64_t mix(std::uint64_t value) noexcept {
  value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9;
  value = (value ^ (value >> 27)) * 0x94d049bb133111eb;
  return value ^ (value >> 31);
}

}  // namespace

ReplyLimiter::ReplyLimiter(const Limits& limits, std::uint64_t seed)
    : limits_(limits),
      interval_(interval_of(limits.rate)),
      tolerance_(tolerance_of(limits.rate)),
      seed_(seed),
      sources_(std::bit_ceil(std::max(limits.sources_max, kNeighbours))) {}

bool ReplyLimiter::admit(const SocketAddress& from, std::size_t bytes, TimePoint now) noexcept {
  Source& source = find_or_replace(key_of(from), now);
  source.last_seen = now;
  if (!take_token(source, now)) return false;
  const std::uint64_t earned = std::min<std::uint64_t>(bytes, kCreditMax) * limits_.ratio;
  source.credit = std::min(kCreditMax, source.credit + earned);
  return true;
}

bool ReplyLimiter::spend(const SocketAddress& to, std::size_t bytes) noexcept {
  if (limits_.ratio == 0) return true;
  Source* const source = find(key_of(to));
  if (source == nullptr || source->credit < bytes) return false;
  source->credit -= bytes;
  return true;
}

// The generic cell rate algorithm (ITU-T I.371): one time stands for the whole bucket of tokens.
bool ReplyLimiter::take_token(Source& source, TimePoint now) const noexcept {
  if (interval_ == Duration::zero()) return true;
  const TimePoint full_at = std::max(source.full_at, now);
  if (full_at - now > tolerance_) return false;
  source.full_at = full_at + interval_;
  return true;
}

ReplyLimiter::Key ReplyLimiter::key_of(const SocketAddress& address) noexcept {
  const auto bytes = std::as_bytes(address.bytes());
  switch (address.family()) {
    case SocketAddress::Family::kIpv4:
      return {load_big_endian<std::uint32_t>(bytes.data()), address.family()};
    case SocketAddress::Family::kIpv6:
      return {load_big_endian<std::uint64_t>(bytes.data()), address.family()};
    case SocketAddress::Family::kUnix:
    case SocketAddress::Family::kNone:
      break;
  }
  SSX_UNREACHABLE();  // datagrams come from IP addresses
}

std::span<ReplyLimiter::Source> ReplyLimiter::neighbours(const Key& key) noexcept {
  const auto family = static_cast<std::uint64_t>(key.family);
  const std::uint64_t hash = mix(mix(key.network ^ seed_) + family);
  const std::size_t group = hash & (sources_.size() / kNeighbours - 1);
  return std::span(sources_).subspan(group * kNeighbours, kNeighbours);
}

ReplyLimiter::Source* ReplyLimiter::find(const Key& key) noexcept {
  for (Source& source : neighbours(key)) {
    if (source.key == key) return &source;
  }
  return nullptr;
}

ReplyLimiter::Source& ReplyLimiter::find_or_replace(const Key& key, TimePoint now) noexcept {
  if (Source* const known = find(key); known != nullptr) return *known;
  const auto group = neighbours(key);
  Source& oldest = *std::ranges::min_element(group, {}, &Source::last_seen);
  oldest = Source{.key = key, .full_at = now, .last_seen = now};
  return oldest;
}

}  // namespace ssx::net
