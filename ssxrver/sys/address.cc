#include "ssxrver/sys/address.h"

#include <arpa/inet.h>
#include <net/if.h>
#include <netinet/in.h>
#include <sys/un.h>

#include <cerrno>
#include <cstddef>
#include <cstring>

#include "ssxrver/base/strings.h"

namespace ssx::sys {
namespace {

template <class Family>
RawAddress to_raw(const Family& address) noexcept {
  RawAddress raw;
  static_assert(sizeof address <= sizeof raw.storage);
  std::memcpy(&raw.storage, &address, sizeof address);
  raw.size = sizeof address;
  return raw;
}

template <class Family>
Family from_raw(const RawAddress& raw) noexcept {
  Family address;
  std::memcpy(&address, &raw.storage, sizeof address);
  return address;
}

/// What the C library would take for the end of a text that goes on.
bool has_zero(std::string_view text) noexcept { return text.find('\0') != text.npos; }

bool parse(int family, std::string_view text, void* into) noexcept {
  char literal[INET6_ADDRSTRLEN];
  if (text.empty() || text.size() >= sizeof literal || has_zero(text)) return false;
  std::memcpy(literal, text.data(), text.size());
  literal[text.size()] = '\0';
  return inet_pton(family, literal, into) == 1;
}

// Leaves the interface to the routes. False: nothing that a reply could have.
bool prepare_for_reply(cmsghdr& message) noexcept {
  if (message.cmsg_level == IPPROTO_IP && message.cmsg_type == IP_PKTINFO) {
    in_pktinfo info;
    std::memcpy(&info, CMSG_DATA(&message), sizeof info);
    info.ipi_ifindex = 0;  // ipi_spec_dst is the local address already
    std::memcpy(CMSG_DATA(&message), &info, sizeof info);
    return true;
  }
  if (message.cmsg_level == IPPROTO_IPV6 && message.cmsg_type == IPV6_PKTINFO) {
    in6_pktinfo info;
    std::memcpy(&info, CMSG_DATA(&message), sizeof info);
    if (IN6_IS_ADDR_MULTICAST(&info.ipi6_addr)) return false;
    // A link-local address means nothing without its link.
    if (!IN6_IS_ADDR_LINKLOCAL(&info.ipi6_addr)) info.ipi6_ifindex = 0;
    std::memcpy(CMSG_DATA(&message), &info, sizeof info);
    return true;
  }
  return false;
}

static_assert(kIpTextRoom >= INET6_ADDRSTRLEN);

std::string_view write(int family, const void* bytes, std::span<char, kIpTextRoom> room) noexcept {
  const char* const literal = inet_ntop(family, bytes, room.data(), room.size());
  return literal == nullptr ? std::string_view() : literal;
}

std::string format(int family, const void* bytes) {
  char literal[kIpTextRoom];
  return std::string(write(family, bytes, literal));
}

}  // namespace

RawAddress make_ipv4(const Ipv4& address) noexcept {
  sockaddr_in in{};
  in.sin_family = AF_INET;
  in.sin_port = htons(address.port);
  std::memcpy(&in.sin_addr, address.bytes.data(), address.bytes.size());
  return to_raw(in);
}

RawAddress make_ipv6(const Ipv6& address) noexcept {
  sockaddr_in6 in{};
  in.sin6_family = AF_INET6;
  in.sin6_port = htons(address.port);
  in.sin6_scope_id = address.scope;
  std::memcpy(&in.sin6_addr, address.bytes.data(), address.bytes.size());
  return to_raw(in);
}

Result<RawAddress> make_unix(std::string_view path) {
  sockaddr_un un{};
  un.sun_family = AF_UNIX;
  if (path.empty()) return fail_errno(EINVAL, "unix socket path");
  if (path.size() >= sizeof un.sun_path) return fail_errno(ENAMETOOLONG, "unix socket path");
  const bool is_abstract = path.front() == '@';
  if (!is_abstract && has_zero(path)) return fail_errno(EINVAL, "unix socket path");
  std::memcpy(un.sun_path, path.data(), path.size());
  if (is_abstract) un.sun_path[0] = '\0';
  RawAddress raw = to_raw(un);
  // An abstract name has exactly its bytes, a path its terminating zero too.
  raw.size =
      static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + path.size() + (is_abstract ? 0 : 1));
  return raw;
}

std::optional<Ipv4> ipv4_of(const RawAddress& raw) noexcept {
  if (raw.size < sizeof(sockaddr_in) || raw.storage.ss_family != AF_INET) return std::nullopt;
  const auto in = from_raw<sockaddr_in>(raw);
  Ipv4 address{{}, ntohs(in.sin_port)};
  std::memcpy(address.bytes.data(), &in.sin_addr, address.bytes.size());
  return address;
}

std::optional<Ipv6> ipv6_of(const RawAddress& raw) noexcept {
  if (raw.size < sizeof(sockaddr_in6) || raw.storage.ss_family != AF_INET6) return std::nullopt;
  const auto in = from_raw<sockaddr_in6>(raw);
  Ipv6 address{{}, ntohs(in.sin6_port), in.sin6_scope_id};
  std::memcpy(address.bytes.data(), &in.sin6_addr, address.bytes.size());
  return address;
}

std::string unix_path_of(const RawAddress& raw) {
  constexpr auto kHead = offsetof(sockaddr_un, sun_path);
  if (raw.size <= kHead || raw.storage.ss_family != AF_UNIX) return {};
  const auto un = from_raw<sockaddr_un>(raw);
  if (un.sun_path[0] != '\0')
    return std::string(un.sun_path, strnlen(un.sun_path, raw.size - kHead));
  return '@' + std::string(un.sun_path + 1, raw.size - kHead - 1);
}

static_assert(kLocalAddressRoom >= CMSG_SPACE(sizeof(in6_pktinfo)));

void reply_from_same_address(msghdr& header) noexcept {
  cmsghdr* const first = CMSG_FIRSTHDR(&header);
  if (first == nullptr || !prepare_for_reply(*first)) header.msg_controllen = 0;
}

bool parse_ipv4(std::string_view text, std::uint8_t* into) noexcept {
  return parse(AF_INET, text, into);
}
bool parse_ipv6(std::string_view text, std::uint8_t* into) noexcept {
  return parse(AF_INET6, text, into);
}
std::string format_ipv4(const std::uint8_t* bytes) { return format(AF_INET, bytes); }
std::string format_ipv6(const std::uint8_t* bytes) { return format(AF_INET6, bytes); }

std::string_view write_ipv6(const std::uint8_t* bytes, std::span<char, kIpTextRoom> room) noexcept {
  return write(AF_INET6, bytes, room);
}

std::optional<std::uint32_t> interface_index(std::string_view name) {
  if (const auto number = parse_uint(name); number && *number <= UINT32_MAX) {
    return static_cast<std::uint32_t>(*number);
  }
  if (has_zero(name)) return std::nullopt;
  const unsigned index = if_nametoindex(std::string(name).c_str());
  return index == 0 ? std::nullopt : std::optional<std::uint32_t>(index);
}

}  // namespace ssx::sys
