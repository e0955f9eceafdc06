// A UDP client that waits for its answers: its own system calls, so that the simulated kernel
// neither counts nor fails them.
//
// Thread: one thread at a time
// Owner:  the test
// Life:   the socket closes with the object
// Bounds: every wait ends after ten seconds with a failed check
#pragma once

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <string>
#include <string_view>

#include "ssxrver/net/socket_address.h"

namespace ssx::test {

class UdpClient {
 public:
  /// Bound to a free port of `ip`.
  explicit UdpClient(const std::string& ip = "127.0.0.1")
      : UdpClient(net::SocketAddress::parse(ip, 0).value()) {}
  explicit UdpClient(const net::SocketAddress& at)
      : fd_(::socket(family_of(at), SOCK_DGRAM | SOCK_CLOEXEC, 0)) {
    const sys::RawAddress raw = at.to_raw();
    EXPECT_EQ(::bind(fd_, raw.get(), raw.size), 0) << at.to_string();
  }
  UdpClient(const UdpClient&) = delete;
  UdpClient& operator=(const UdpClient&) = delete;
  ~UdpClient() { ::close(fd_); }

  [[nodiscard]] net::SocketAddress address() const {
    sys::RawAddress raw;
    EXPECT_EQ(::getsockname(fd_, raw.get(), &raw.size), 0);
    return net::SocketAddress::from_raw(raw);
  }
  void send(const net::SocketAddress& to, std::string_view bytes) const {
    const sys::RawAddress raw = to.to_raw();
    EXPECT_EQ(::sendto(fd_, bytes.data(), bytes.size(), 0, raw.get(), raw.size),
              static_cast<ssize_t>(bytes.size()));
  }
  /// The next datagram.
  std::string receive() { return waits(10'000) ? take() : "nothing came"; }
  /// Nothing has come. Only right when what could come has been sent already.
  [[nodiscard]] bool is_quiet() const { return !waits(0); }
  /// Where the latest datagram came from.
  [[nodiscard]] const net::SocketAddress& from() const { return from_; }

 private:
  static int family_of(const net::SocketAddress& address) {
    return address.family() == net::SocketAddress::Family::kIpv6 ? AF_INET6 : AF_INET;
  }
  [[nodiscard]] bool waits(int milliseconds) const {
    pollfd wanted{fd_, POLLIN, 0};
    return ::poll(&wanted, 1, milliseconds) == 1;
  }
  std::string take() {
    std::array<char, 65536> bytes;
    sys::RawAddress raw;
    const ssize_t size = ::recvfrom(fd_, bytes.data(), bytes.size(), 0, raw.get(), &raw.size);
    EXPECT_GE(size, 0);
    from_ = net::SocketAddress::from_raw(raw);
    return {bytes.data(), size < 0 ? 0 : static_cast<std::size_t>(size)};
  }

  int fd_;
  net::SocketAddress from_;
};

/// Whether this process may say anything it likes about where a datagram comes from.
inline bool may_forge_udp() {
  const int fd = ::socket(AF_INET, SOCK_RAW | SOCK_CLOEXEC, IPPROTO_UDP);
  if (fd >= 0) ::close(fd);
  return fd >= 0;
}

/// Two bytes from a local IPv4 address, and from any port of it.
inline void forge_udp(const net::SocketAddress& from, const net::SocketAddress& to) {
  const int fd = ::socket(AF_INET, SOCK_RAW | SOCK_CLOEXEC, IPPROTO_UDP);
  ASSERT_GE(fd, 0);
  const sys::RawAddress source = from.with_port(0).to_raw();
  EXPECT_EQ(::bind(fd, source.get(), source.size), 0);
  const auto high = [](std::uint16_t port) { return static_cast<std::uint8_t>(port >> 8); };
  const auto low = [](std::uint16_t port) { return static_cast<std::uint8_t>(port & 0xff); };
  // RFC 768: source port, destination port, length, checksum (0 = none), data.
  const std::array<std::uint8_t, 10> segment = {
      high(from.port()), low(from.port()), high(to.port()), low(to.port()), 0, 10, 0, 0, 'h', 'i'};
  const sys::RawAddress target = to.with_port(0).to_raw();
  EXPECT_EQ(::sendto(fd, segment.data(), segment.size(), 0, target.get(), target.size),
            static_cast<ssize_t>(segment.size()));
  ::close(fd);
}

}  // namespace ssx::test
