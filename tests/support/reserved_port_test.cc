#include "tests/support/reserved_port.h"

#include <cerrno>

namespace ssx::test {
namespace {

/// A socket of somebody who would have this port.
class Taker {
 public:
  explicit Taker(const ReservedPort& port) : fd_(::socket(AF_INET, SOCK_STREAM, 0)) {
    at_.sin_family = AF_INET;
    at_.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    at_.sin_port = htons(port.number());
  }
  ~Taker() { ::close(fd_); }
  Taker(const Taker&) = delete;
  Taker& operator=(const Taker&) = delete;

  void reuse() const {
    const int yes = 1;
    ASSERT_EQ(::setsockopt(fd_, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes), 0);
  }
  // 0, or an errno.
  [[nodiscard]] int bind() const { return errno_of(::bind(fd_, address(), sizeof at_)); }
  [[nodiscard]] int connect() const { return errno_of(::connect(fd_, address(), sizeof at_)); }
  [[nodiscard]] int listen() const { return errno_of(::listen(fd_, 1)); }

 private:
  static int errno_of(int result) { return result == 0 ? 0 : errno; }
  [[nodiscard]] const sockaddr* address() const { return reinterpret_cast<const sockaddr*>(&at_); }

  const int fd_;
  sockaddr_in at_{};
};

TEST(ReservedPort, RefusesWhoConnects) {
  const ReservedPort port;
  EXPECT_EQ(Taker(port).connect(), ECONNREFUSED);
}

TEST(ReservedPort, IsForServersAndForNobodyElse) {
  const ReservedPort port;
  EXPECT_EQ(Taker(port).bind(), EADDRINUSE);
  const Taker server(port);
  server.reuse();
  EXPECT_EQ(server.bind(), 0);
  EXPECT_EQ(server.listen(), 0);
  EXPECT_EQ(Taker(port).connect(), 0);
}

}  // namespace
}  // namespace ssx::test
