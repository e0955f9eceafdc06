#include "ssxrver/net/socket_address.h"

#include <algorithm>
#include <charconv>
#include <cstring>

#include "ssxrver/base/strings.h"
#include "ssxrver/net/error.h"
#include "ssxrver/sys/address.h"

namespace ssx::net {
namespace {

constexpr std::array<std::uint8_t, 12> kMappedPrefix = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};

}  // namespace

Result<SocketAddress> SocketAddress::parse(std::string_view ip, std::uint16_t port) {
  SocketAddress address;
  address.port_ = port;
  const auto percent = ip.find('%');
  if (percent == std::string_view::npos && sys::parse_ipv4(ip, address.bytes_.data())) {
    address.family_ = Family::kIpv4;
    return address;
  }
  if (percent != std::string_view::npos) {
    const auto scope = sys::interface_index(ip.substr(percent + 1));
    if (!scope) return fail(Errc::kBadAddress, "address");
    address.scope_ = *scope;
  }
  if (!sys::parse_ipv6(ip.substr(0, percent), address.bytes_.data()))
    return fail(Errc::kBadAddress, "address");
  address.family_ = Family::kIpv6;
  return address;
}

SocketAddress SocketAddress::from_raw(const sys::RawAddress& raw) noexcept {
  SocketAddress address;
  if (const auto v4 = sys::ipv4_of(raw)) {
    address.family_ = Family::kIpv4;
    address.port_ = v4->port;
    std::memcpy(address.bytes_.data(), v4->bytes.data(), v4->bytes.size());
  } else if (const auto v6 = sys::ipv6_of(raw)) {
    address = from_ipv6(v6->bytes, v6->port);
    address.scope_ = v6->scope;
    return address.unmapped();
  } else {
    address.family_ = Family::kUnix;
  }
  return address;
}

SocketAddress SocketAddress::from_ipv4(std::span<const std::uint8_t, 4> bytes,
                                       std::uint16_t port) noexcept {
  SocketAddress address;
  address.family_ = Family::kIpv4;
  address.port_ = port;
  std::ranges::copy(bytes, address.bytes_.begin());
  return address;
}

SocketAddress SocketAddress::from_ipv6(std::span<const std::uint8_t, 16> bytes,
                                       std::uint16_t port) noexcept {
  SocketAddress address;
  address.family_ = Family::kIpv6;
  address.port_ = port;
  std::ranges::copy(bytes, address.bytes_.begin());
  return address;
}

SocketAddress SocketAddress::unmapped() const noexcept {
  if (family_ != Family::kIpv6 ||
      std::memcmp(bytes_.data(), kMappedPrefix.data(), kMappedPrefix.size()) != 0) {
    return *this;
  }
  return from_ipv4(std::span(bytes_).last<4>(), port_);
}

sys::RawAddress SocketAddress::to_raw() const noexcept {
  if (family_ == Family::kIpv4)
    return sys::make_ipv4({{bytes_[0], bytes_[1], bytes_[2], bytes_[3]}, port_});
  return sys::make_ipv6({bytes_, port_, scope_});
}

std::span<const std::uint8_t> SocketAddress::bytes() const noexcept {
  switch (family_) {
    case Family::kIpv4:
      return {bytes_.data(), 4};
    case Family::kIpv6:
      return {bytes_.data(), 16};
    case Family::kNone:
    case Family::kUnix:
      break;
  }
  return {};
}

std::string SocketAddress::ip() const {
  char room[kIpTextRoom];
  return std::string(write_ip(room));
}

std::string_view SocketAddress::write_ip(std::span<char, kIpTextRoom> room) const noexcept {
  switch (family_) {
    case Family::kIpv4: {  // by hand: inet_ntop takes ten times as long
      char* at = room.data();
      for (const std::uint8_t byte : bytes()) {
        if (at != room.data()) *at++ = '.';
        at = std::to_chars(at, room.data() + room.size(), byte).ptr;
      }
      return {room.data(), static_cast<std::size_t>(at - room.data())};
    }
    case Family::kIpv6: {
      const auto text = sys::write_ipv6(bytes_.data(), room.first<sys::kIpTextRoom>());
      if (scope_ == 0) return text;
      char* at = room.data() + text.size();
      *at++ = '%';
      at = std::to_chars(at, room.data() + room.size(), scope_).ptr;
      return {room.data(), static_cast<std::size_t>(at - room.data())};
    }
    case Family::kUnix:
      return "unix";
    case Family::kNone:
      break;
  }
  return "none";
}

std::string SocketAddress::to_string() const {
  if (family_ == Family::kIpv4) return ip() + ':' + std::to_string(port_);
  if (family_ == Family::kIpv6) return '[' + ip() + "]:" + std::to_string(port_);
  return ip();
}

}  // namespace ssx::net
