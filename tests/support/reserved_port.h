// A port of 127.0.0.1 that nobody else is given.
//
//   const ReservedPort port;
//   ChildProcess::start({"nginx", ..., std::to_string(port.number())});
//
// Its socket is bound and never listens: who connects is refused, until a program that sets
// SO_REUSEADDR, as servers do, listens there.
//
// Thread: any thread
// Owner:  the test
// Life:   the port is free again when the object ends
// Bounds: one descriptor
#pragma once

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdint>

namespace ssx::test {

class ReservedPort {
 public:
  ReservedPort() : fd_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    const int yes = 1;
    EXPECT_EQ(::setsockopt(fd_, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes), 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    EXPECT_EQ(::bind(fd_, reinterpret_cast<sockaddr*>(&address), size), 0);
    EXPECT_EQ(::getsockname(fd_, reinterpret_cast<sockaddr*>(&address), &size), 0);
    number_ = ntohs(address.sin_port);
  }
  ~ReservedPort() { ::close(fd_); }
  ReservedPort(const ReservedPort&) = delete;
  ReservedPort& operator=(const ReservedPort&) = delete;

  [[nodiscard]] std::uint16_t number() const noexcept { return number_; }

 private:
  const int fd_;
  std::uint16_t number_ = 0;
};

}  // namespace ssx::test
