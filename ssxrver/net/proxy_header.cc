#include "ssxrver/net/proxy_header.h"

#include <algorithm>
#include <array>
#include <span>
#include <string_view>

#include "ssxrver/base/strings.h"

namespace ssx::net {
namespace {

using Progress = ProxyHeader::Progress;
using Family = SocketAddress::Family;

constexpr std::string_view kV1Start = "PROXY ";
constexpr std::string_view kV2Start("\r\n\r\n\0\r\nQUIT\n", 12);

// Version 2, section 2.2.
constexpr std::size_t kV2Fixed = 16;
constexpr std::uint8_t kVersion2 = 2;
constexpr std::uint8_t kLocal = 0;
constexpr std::uint8_t kProxy = 1;
enum AddressFamily : std::uint8_t { kUnspecified, kInet, kInet6, kUnixName };
enum Transport : std::uint8_t { kUnknown, kStream, kDatagram };
constexpr std::array<std::size_t, 4> kAddressBytes = {0, 12, 36, 216};

ProxyHeader failed() noexcept { return {.progress = Progress::kFailed}; }

bool starts_like(std::string_view text, std::string_view start) noexcept {
  return start.starts_with(text.substr(0, start.size()));
}

// Section 2.1: "0" to "65535", without zeros in front.
std::optional<std::uint16_t> parse_port(std::string_view text) noexcept {
  const auto number = parse_uint(text);
  const bool is_canonical = text.size() == 1 || !text.starts_with('0');
  if (!number || *number > UINT16_MAX || !is_canonical) return std::nullopt;
  return static_cast<std::uint16_t>(*number);
}

std::optional<SocketAddress> parse_address(std::string_view ip, std::string_view port,
                                           Family family) noexcept {
  const auto number = parse_port(port);
  if (!number || ip.find('%') != ip.npos) return std::nullopt;  // no zones: they are local
  const auto address = SocketAddress::parse(ip, *number);
  if (!address || address->family() != family) return std::nullopt;
  return address->unmapped();
}

// "PROXY" SP ( "TCP4" | "TCP6" ) SP source SP destination SP port SP port CRLF, with single spaces.
ProxyHeader parse_v1_line(std::string_view line) noexcept {
  std::array<std::string_view, 6> words;
  std::size_t count = 0;
  for_each_part(line, ' ', [&words, &count](std::string_view word) {
    if (count < words.size()) words[count] = word;
    ++count;
  });
  const ProxyHeader done{.progress = Progress::kDone, .size = line.size() + 2};
  if (words[1] == "UNKNOWN") return done;  // whatever follows is to be ignored
  const bool is_v4 = words[1] == "TCP4";
  if (count != words.size() || (!is_v4 && words[1] != "TCP6")) return failed();
  const Family family = is_v4 ? Family::kIpv4 : Family::kIpv6;
  ProxyHeader header = done;
  header.client = parse_address(words[2], words[4], family);
  header.server = parse_address(words[3], words[5], family);
  return header.client && header.server ? header : failed();
}

ProxyHeader parse_v1(std::string_view text) noexcept {
  const std::string_view seen = text.substr(0, ProxyHeader::kV1Max);
  const auto end = seen.find_first_of("\r\n");
  if (end == seen.npos || end + 1 == seen.size()) {
    // The CR, when it is there, is the last that has come: its LF may still fit, or not.
    const bool is_bare_lf = end != seen.npos && seen[end] == '\n';
    const bool is_full = seen.size() == ProxyHeader::kV1Max;
    return is_full || is_bare_lf ? failed() : ProxyHeader{};
  }
  if (seen[end] != '\r' || seen[end + 1] != '\n') return failed();
  return parse_v1_line(seen.substr(0, end));
}

SocketAddress take_v4(std::span<const std::uint8_t> bytes, const std::byte* port) noexcept {
  return SocketAddress::from_ipv4(bytes.first<4>(), load_big_endian<std::uint16_t>(port));
}

SocketAddress take_v6(std::span<const std::uint8_t> bytes, const std::byte* port) noexcept {
  return SocketAddress::from_ipv6(bytes.first<16>(), load_big_endian<std::uint16_t>(port))
      .unmapped();
}

// Source, destination, their ports; behind them "type-length-value" vectors, which nobody reads.
void take_addresses(std::uint8_t family, ByteView body, ProxyHeader& header) noexcept {
  const std::span bytes(reinterpret_cast<const std::uint8_t*>(body.data()), body.size());
  if (family == kInet) {
    header.client = take_v4(bytes, body.data() + 8);
    header.server = take_v4(bytes.subspan(4), body.data() + 10);
  } else if (family == kInet6) {
    header.client = take_v6(bytes, body.data() + 32);
    header.server = take_v6(bytes.subspan(16), body.data() + 34);
  }
}

ProxyHeader parse_v2(ByteView in) noexcept {
  // Each byte is judged as soon as it is there.
  if (in.size() <= kV2Start.size()) return {};
  const auto command = std::to_integer<std::uint8_t>(in[12]);
  if (command >> 4 != kVersion2 || (command & 0xf) > kProxy) return failed();
  if (in.size() <= 13) return {};
  const auto kind = std::to_integer<std::uint8_t>(in[13]);
  const auto family = static_cast<std::uint8_t>(kind >> 4);
  const auto transport = static_cast<std::uint8_t>(kind & 0xf);
  if (family > kUnixName || transport > kDatagram) return failed();
  if (in.size() < kV2Fixed) return {};
  const std::size_t length = load_big_endian<std::uint16_t>(in.data() + 14);
  const bool is_local = (command & 0xf) == kLocal;
  if (kV2Fixed + length > ProxyHeader::kV2Max) return failed();
  if (!is_local && length < kAddressBytes[family]) return failed();
  if (in.size() < kV2Fixed + length) return {};
  ProxyHeader header{.progress = Progress::kDone, .size = kV2Fixed + length};
  if (!is_local && transport == kStream) {
    take_addresses(family, in.subspan(kV2Fixed, length), header);
  }
  return header;
}

}  // namespace

ProxyHeader parse_proxy_header(ByteView in) noexcept {
  const std::string_view text = as_text(in);
  if (starts_like(text, kV1Start))
    return text.size() < kV1Start.size() ? ProxyHeader{} : parse_v1(text);
  if (starts_like(text, kV2Start))
    return text.size() < kV2Start.size() ? ProxyHeader{} : parse_v2(in);
  return {.progress = Progress::kAbsent};
}

}  // namespace ssx::net
