// Socket addresses between the kernel's form and ours, so that no other folder needs its headers.
//
// Thread: any thread
// Owner:  values
// Life:   any
// Bounds: unix paths up to 107 bytes
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "ssxrver/base/result.h"
#include "ssxrver/sys/socket.h"

namespace ssx::sys {

struct Ipv4 {
  std::array<std::uint8_t, 4> bytes;
  std::uint16_t port;
};
struct Ipv6 {
  std::array<std::uint8_t, 16> bytes;
  std::uint16_t port;
  std::uint32_t scope;
};

[[nodiscard]] RawAddress make_ipv4(const Ipv4& address) noexcept;
[[nodiscard]] RawAddress make_ipv6(const Ipv6& address) noexcept;
/// A leading '@' means the abstract namespace. ENAMETOOLONG past 107 bytes, EINVAL for an empty
/// path and for one with a zero byte in it.
Result<RawAddress> make_unix(std::string_view path);

[[nodiscard]] std::optional<Ipv4> ipv4_of(const RawAddress& raw) noexcept;
[[nodiscard]] std::optional<Ipv6> ipv6_of(const RawAddress& raw) noexcept;
/// The path of a unix socket ('@' in front: abstract); empty for an unnamed one or another family.
[[nodiscard]] std::string unix_path_of(const RawAddress& raw);

/// Room for what SocketOption::kTellLocalIpv4 or kTellLocalIpv6 adds to a datagram.
inline constexpr std::size_t kLocalAddressRoom = 64;
/// Makes the header of a received datagram that of its reply: the reply leaves from the address the
/// datagram was sent to, by whatever interface the routes choose. Without kTellLocal..., or after
/// a multicast, by whatever address too.
void reply_from_same_address(msghdr& header) noexcept;

/// Literals only; `into` holds 4 or 16 bytes.
[[nodiscard]] bool parse_ipv4(std::string_view text, std::uint8_t* into) noexcept;
[[nodiscard]] bool parse_ipv6(std::string_view text, std::uint8_t* into) noexcept;
[[nodiscard]] std::string format_ipv4(const std::uint8_t* bytes);
[[nodiscard]] std::string format_ipv6(const std::uint8_t* bytes);
/// The same without a string of its own: a view of `room`.
inline constexpr std::size_t kIpTextRoom = 46;
[[nodiscard]] std::string_view write_ipv6(const std::uint8_t* bytes,
                                          std::span<char, kIpTextRoom> room) noexcept;
/// A number, or the name of an interface that exists.
[[nodiscard]] std::optional<std::uint32_t> interface_index(std::string_view name);

}  // namespace ssx::sys
