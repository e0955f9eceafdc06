#include "ssxrver/sys/socket_option.h"

#include <gtest/gtest.h>
#include <netinet/in.h>
#include <netinet/tcp.h>

#include <array>

#include "ssxrver/sys/address.h"
#include "ssxrver/sys/socket.h"
#include "tests/sys/fails_with.h"

namespace ssx::sys {
namespace {

struct Case {
  SocketOption option;
  int level;
  int name;
  int value;
};

constexpr std::array kCases{
    Case{SocketOption::kReuseAddress, SOL_SOCKET, SO_REUSEADDR, 1},
    Case{SocketOption::kReusePort, SOL_SOCKET, SO_REUSEPORT, 1},
    Case{SocketOption::kKeepAlive, SOL_SOCKET, SO_KEEPALIVE, 1},
    Case{SocketOption::kIpv6Only, IPPROTO_IPV6, IPV6_V6ONLY, 1},
    Case{SocketOption::kNoDelay, IPPROTO_TCP, TCP_NODELAY, 1},
    Case{SocketOption::kKeepIdleSeconds, IPPROTO_TCP, TCP_KEEPIDLE, 77},
    Case{SocketOption::kKeepIntervalSeconds, IPPROTO_TCP, TCP_KEEPINTVL, 11},
    Case{SocketOption::kKeepCount, IPPROTO_TCP, TCP_KEEPCNT, 3},
    Case{SocketOption::kUserTimeoutMs, IPPROTO_TCP, TCP_USER_TIMEOUT, 12'345},
    Case{SocketOption::kNotSentLowat, IPPROTO_TCP, TCP_NOTSENT_LOWAT, 16'384},
    Case{SocketOption::kPortAtConnect, IPPROTO_IP, IP_BIND_ADDRESS_NO_PORT, 1},
};

TEST(SocketOption, EveryNameMeansTheKernelsNumber) {
  for (const Case& each : kCases) {
    const auto fd = socket(AF_INET6, SOCK_STREAM).value();
    const int number = static_cast<int>(each.option);
    ASSERT_TRUE(set_option(fd.get(), each.option, each.value)) << number;
    EXPECT_EQ(get_option(fd.get(), each.level, each.name).value(), each.value) << number;
    EXPECT_EQ(get_option(fd.get(), each.option).value(), each.value) << number;
  }
}

TEST(SocketOption, BuffersAreAtLeastAsLargeAsAskedFor) {
  const auto fd = socket(AF_INET, SOCK_STREAM).value();
  ASSERT_TRUE(set_option(fd.get(), SocketOption::kSendBuffer, 8192));
  ASSERT_TRUE(set_option(fd.get(), SocketOption::kReceiveBuffer, 8192));
  EXPECT_GE(get_option(fd.get(), SOL_SOCKET, SO_SNDBUF).value(), 8192);
  EXPECT_EQ(get_option(fd.get(), SocketOption::kSendBuffer).value(),
            get_option(fd.get(), SOL_SOCKET, SO_SNDBUF).value());
  EXPECT_EQ(get_option(fd.get(), SocketOption::kReceiveBuffer).value(),
            get_option(fd.get(), SOL_SOCKET, SO_RCVBUF).value());
}

TEST(SocketOption, AListenerAcceptsConnections) {
  const auto fd = socket(AF_INET, SOCK_STREAM).value();
  EXPECT_EQ(get_option(fd.get(), SocketOption::kAcceptsConnections).value(), 0);
  ASSERT_TRUE(bind(fd.get(), make_ipv4({{127, 0, 0, 1}, 0})));
  ASSERT_TRUE(set_option(fd.get(), SocketOption::kDeferAcceptSeconds, 1));
  ASSERT_TRUE(set_option(fd.get(), SocketOption::kFastOpen, 5));
  ASSERT_TRUE(listen(fd.get(), 1));
  EXPECT_EQ(get_option(fd.get(), SocketOption::kAcceptsConnections).value(), 1);
  EXPECT_EQ(get_option(fd.get(), IPPROTO_TCP, TCP_DEFER_ACCEPT).value(), 1);
  EXPECT_EQ(get_option(fd.get(), IPPROTO_TCP, TCP_FASTOPEN).value(), 5);
}

TEST(SocketOption, QuickAckCanBeAskedForOnAConnection) {
  const auto fd = socket(AF_INET, SOCK_STREAM).value();
  EXPECT_TRUE(set_option(fd.get(), SocketOption::kQuickAck, 1));
  EXPECT_EQ(get_option(fd.get(), SocketOption::kQuickAck).value(),
            get_option(fd.get(), IPPROTO_TCP, TCP_QUICKACK).value());
}

TEST(SocketOption, ErrorsComeBackAsTheyAre) {
  const auto unix_socket = socket(AF_UNIX, SOCK_STREAM).value();
  EXPECT_TRUE(fails_with(set_option(unix_socket.get(), SocketOption::kNoDelay, 1), EOPNOTSUPP,
                         "set_option"));
  EXPECT_TRUE(fails_with(get_option(kNotOpen, SocketOption::kNoDelay), EBADF, "get_option"));
}

}  // namespace
}  // namespace ssx::sys
