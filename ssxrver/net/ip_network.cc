#include "ssxrver/net/ip_network.h"

#include <fmt/core.h>

#include <algorithm>

#include "ssxrver/base/bytes.h"
#include "ssxrver/base/strings.h"
#include "ssxrver/net/error.h"

namespace ssx::net {
namespace {

using Family = SocketAddress::Family;

constexpr unsigned kV4Bits = 32;
constexpr unsigned kV6Bits = 128;
constexpr unsigned kMappedBits = kV6Bits - kV4Bits;  // of ::ffff:0:0 in front of an IPv4 address

std::uint32_t number_of_v4(const SocketAddress& address) noexcept {
  return load_big_endian<std::uint32_t>(std::as_bytes(address.bytes()).data());
}

std::array<std::uint64_t, 2> number_of_v6(const SocketAddress& address) noexcept {
  const auto* const bytes = std::as_bytes(address.bytes()).data();
  return {load_big_endian<std::uint64_t>(bytes),
          load_big_endian<std::uint64_t>(bytes + sizeof(std::uint64_t))};
}

// The bits of the host, `bits` of them at the low end.
std::uint32_t host_mask_v4(unsigned prefix) noexcept {
  return prefix == kV4Bits ? 0 : UINT32_MAX >> prefix;
}

std::uint64_t low_bits(unsigned bits) noexcept {
  return bits >= 64 ? UINT64_MAX : (std::uint64_t{1} << bits) - 1;
}

std::array<std::uint64_t, 2> host_mask_v6(unsigned prefix) noexcept {
  const unsigned bits = kV6Bits - prefix;
  return {bits > 64 ? low_bits(bits - 64) : 0, low_bits(bits)};
}

SocketAddress without_host(const SocketAddress& address, unsigned prefix) noexcept {
  std::array<std::uint8_t, 16> bytes{};
  const auto given = address.bytes();
  std::ranges::copy(given, bytes.begin());
  for (unsigned bit = prefix; bit < given.size() * 8; ++bit) {
    bytes[bit / 8] &= static_cast<std::uint8_t>(~(0x80U >> (bit % 8)));
  }
  return address.family() == Family::kIpv4
             ? SocketAddress::from_ipv4(std::span(bytes).first<4>(), 0)
             : SocketAddress::from_ipv6(bytes, 0);
}

template <class Range>
void sort_and_merge(std::vector<Range>& ranges) {
  std::ranges::sort(ranges, {}, &Range::first);
  std::size_t kept = 0;
  for (const Range& range : ranges) {
    if (kept > 0 && range.first <= ranges[kept - 1].last) {
      ranges[kept - 1].last = std::max(ranges[kept - 1].last, range.last);
    } else {
      ranges[kept++] = range;
    }
  }
  ranges.resize(kept);
  ranges.shrink_to_fit();
}

template <class Range, class Address>
bool holds(const std::vector<Range>& ranges, const Address& address) noexcept {
  const auto after = std::ranges::upper_bound(ranges, address, {}, &Range::first);
  return after != ranges.begin() && address <= std::prev(after)->last;
}

}  // namespace

Result<IpNetwork> IpNetwork::parse(std::string_view text) {
  const auto slash = text.find('/');
  SSX_TRY(SocketAddress address, SocketAddress::parse(text.substr(0, slash), 0));
  unsigned bits = address.family() == Family::kIpv4 ? kV4Bits : kV6Bits;
  unsigned prefix = bits;
  if (slash != std::string_view::npos) {
    const auto given = parse_uint(text.substr(slash + 1));
    if (!given || *given > bits) return fail(Errc::kBadAddress, "prefix length");
    prefix = static_cast<unsigned>(*given);
  }
  const SocketAddress plain = address.unmapped();
  if (plain.family() != address.family() && prefix >= kMappedBits) {
    address = plain;
    prefix -= kMappedBits;
  }
  return IpNetwork(without_host(address, prefix), prefix);
}

bool IpNetwork::contains(const SocketAddress& address) const noexcept {
  const SocketAddress plain = address.unmapped();
  if (plain.family() != address_.family()) return false;
  if (plain.family() == Family::kIpv4) {
    return (number_of_v4(plain) & ~host_mask_v4(prefix_)) == number_of_v4(address_);
  }
  const auto number = number_of_v6(plain);
  const auto mask = host_mask_v6(prefix_);
  return std::array{number[0] & ~mask[0], number[1] & ~mask[1]} == number_of_v6(address_);
}

std::string IpNetwork::to_string() const { return fmt::format("{}/{}", address_.ip(), prefix_); }

IpNetworkSet::IpNetworkSet(const std::vector<IpNetwork>& networks) {
  for (const IpNetwork& network : networks) {
    if (network.address().family() == Family::kIpv4) {
      const auto first = number_of_v4(network.address());
      v4_.push_back({first, first | host_mask_v4(network.prefix())});
    } else {
      const auto first = number_of_v6(network.address());
      const auto mask = host_mask_v6(network.prefix());
      v6_.push_back({first, {first[0] | mask[0], first[1] | mask[1]}});
    }
  }
  sort_and_merge(v4_);
  sort_and_merge(v6_);
}

Result<IpNetworkSet> IpNetworkSet::create(const std::vector<std::string>& entries) {
  std::vector<IpNetwork> networks;
  networks.reserve(entries.size());
  for (const auto& entry : entries) {
    SSX_TRY(const IpNetwork network, IpNetwork::parse(entry));
    networks.push_back(network);
  }
  return IpNetworkSet(networks);
}

bool IpNetworkSet::contains(const SocketAddress& address) const noexcept {
  if (empty()) return false;
  const SocketAddress plain = address.unmapped();
  switch (plain.family()) {
    case Family::kIpv4:
      return holds(v4_, number_of_v4(plain));
    case Family::kIpv6:
      return holds(v6_, number_of_v6(plain));
    case Family::kUnix:
    case Family::kNone:
      break;
  }
  return false;
}

}  // namespace ssx::net
