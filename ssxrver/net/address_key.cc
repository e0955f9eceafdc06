#include "ssxrver/net/address_key.h"

#include "ssxrver/base/bytes.h"

namespace ssx::net {
namespace {

// The finisher of SplitMix64: every bit of the input moves every bit of the result.
std::uint64_t mix(std::uint64_t value) noexcept {
  value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9;
  value = (value ^ (value >> 27)) * 0x94d049bb133111eb;
  return value ^ (value >> 31);
}

}  // namespace

AddressKey AddressKey::of(const SocketAddress& address) noexcept {
  const SocketAddress plain = address.unmapped();
  const auto bytes = std::as_bytes(plain.bytes());
  switch (plain.family()) {
    case SocketAddress::Family::kIpv4:
      return {load_big_endian<std::uint32_t>(bytes.data()), plain.family()};
    case SocketAddress::Family::kIpv6:
      return {load_big_endian<std::uint64_t>(bytes.data()), plain.family()};
    case SocketAddress::Family::kUnix:
    case SocketAddress::Family::kNone:
      break;
  }
  return {0, plain.family()};
}

std::uint64_t AddressKey::hash(std::uint64_t seed) const noexcept {
  return mix(mix(network ^ seed) + static_cast<std::uint64_t>(family));
}

}  // namespace ssx::net
