#include "ssxrver/net/linux/kernel_stack.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/stat.h>

#include <cerrno>
#include <filesystem>
#include <optional>
#include <string>

#include "ssxrver/net/error.h"
#include "ssxrver/sys/address.h"
#include "ssxrver/sys/file.h"
#include "ssxrver/sys/socket.h"
#include "tests/support/fail_at_nth.h"
#include "tests/support/peer.h"
#include "tests/support/raw_client.h"
#include "tests/support/temp_dir.h"

namespace ssx::net {
namespace {

using sim::Call;
using test::RawClient;

bool has_ipv6() {
  const auto probe = sys::socket(AF_INET6, SOCK_STREAM);
  ListenOptions options;
  options.address = "::1";
  options.port = 0;
  return probe && KernelStack::instance().listen(options, {}).has_value();
}

class KernelStackTest : public testing::Test {
 protected:
  KernelStackTest() { options.port = 0; }

  Result<std::unique_ptr<Listener>> listen(const TcpOptions& tcp = {}) {
    return KernelStack::instance().listen(options, tcp);
  }
  /// The next connection; waits for it.
  static Accepted accept(Listener& listener) {
    while (true) {
      auto accepted = listener.accept();
      if (accepted) return *std::move(accepted);
      EXPECT_TRUE(accepted.error().is_errno(EAGAIN)) << accepted.error().message();
      if (!accepted.error().is_errno(EAGAIN)) return {};
    }
  }

  ListenOptions options;
  const test::TempDir dir;
};

TEST_F(KernelStackTest, ListensOnAnyFreePortAndSaysWhich) {
  const auto listener = listen();
  ASSERT_TRUE(listener);
  EXPECT_GT((*listener)->address().port(), 0);
  EXPECT_EQ((*listener)->name(), "127.0.0.1:" + std::to_string((*listener)->address().port()));
  EXPECT_TRUE((*listener)->accept().error().is_errno(EAGAIN));
  auto client = RawClient::tcp((*listener)->address().port());
  const Accepted accepted = accept(**listener);
  EXPECT_EQ(accepted.peer.ip(), "127.0.0.1");
  EXPECT_EQ(accepted.peer.port(), client.local_port());
}

// G06
TEST_F(KernelStackTest, ListensOnIpv6Alone) {
  SSX_NEEDS_SYSTEM(has_ipv6(), "IPv6");
  options.address = "::1";
  const auto listener = listen();
  ASSERT_TRUE(listener);
  auto client = RawClient::tcp((*listener)->address().port(), RawClient::Options{.address = "::1"});
  EXPECT_EQ(accept(**listener).peer.ip(), "::1");
}

TEST_F(KernelStackTest, AnIpv6ListenerLeavesIpv4AloneUnlessAskedNotTo) {
  SSX_NEEDS_SYSTEM(has_ipv6(), "IPv6");
  options.address = "::";
  const auto alone = listen();
  ASSERT_TRUE(alone);
  options.port = (*alone)->address().port();
  options.address = "0.0.0.0";
  EXPECT_TRUE(listen().has_value());  // the IPv4 port of that number is free

  options.port = 0;
  options.address = "::";
  options.ipv6_only = false;
  const auto both = listen();
  ASSERT_TRUE(both);
  auto client = RawClient::tcp((*both)->address().port());
  EXPECT_EQ(accept(**both).peer.to_string(),
            "127.0.0.1:" + std::to_string(client.local_port()));  // not ::ffff:127.0.0.1
}

TEST_F(KernelStackTest, TheStarIsEveryAddressOfBothFamilies) {
  options.address = "*";
  const auto listener = listen();
  ASSERT_TRUE(listener);
  auto v4 = RawClient::tcp((*listener)->address().port());
  EXPECT_EQ(accept(**listener).peer.ip(), "127.0.0.1");
  SSX_NEEDS_SYSTEM(has_ipv6(), "IPv6");
  auto v6 = RawClient::tcp((*listener)->address().port(), RawClient::Options{.address = "::1"});
  EXPECT_EQ(accept(**listener).peer.ip(), "::1");
}

TEST_F(KernelStackTest, TheStarIsIpv4WhereThereIsNoIpv6) {
  options.address = "*";
  sim::FaultPlan plan;
  plan.fail(Call::kSocket, EAFNOSUPPORT);
  const auto listener = listen();
  ASSERT_TRUE(listener);
  EXPECT_EQ((*listener)->address().family(), SocketAddress::Family::kIpv4);
  auto client = RawClient::tcp((*listener)->address().port());
  EXPECT_EQ(accept(**listener).peer.ip(), "127.0.0.1");
}

TEST_F(KernelStackTest, AUsedPortIsRefused) {
  const auto first = listen();
  ASSERT_TRUE(first);
  options.port = (*first)->address().port();
  const auto second = listen();
  ASSERT_FALSE(second);
  EXPECT_TRUE(second.error().is_errno(EADDRINUSE));
}

TEST_F(KernelStackTest, AddressesThatAreNoneAreRefused) {
  for (const char* address : {"", "localhost", "1.2.3", "::g", "**"}) {
    options.address = address;
    const auto listener = listen();
    ASSERT_FALSE(listener) << address;
    EXPECT_TRUE(listener.error() == make_error_code(Errc::kBadAddress));
  }
}

TEST_F(KernelStackTest, AcceptedSocketsInheritTheOptions) {
  TcpOptions tcp;
  tcp.keepalive_idle = std::chrono::seconds(33);
  tcp.keepalive_interval = std::chrono::seconds(7);
  tcp.keepalive_count = 5;
  tcp.user_timeout = std::chrono::milliseconds(12'345);
  tcp.send_buffer = 50'000;
  tcp.recv_buffer = 60'000;
  tcp.notsent_lowat = 4096;
  const auto listener = listen(tcp);
  ASSERT_TRUE(listener);
  auto client = RawClient::tcp((*listener)->address().port());
  const Accepted accepted = accept(**listener);
  const auto option = [&accepted](int level, int name) {
    return sys::get_option(accepted.fd.get(), level, name).value_or(-1);
  };
  EXPECT_EQ(option(IPPROTO_TCP, TCP_NODELAY), 1);
  EXPECT_EQ(option(SOL_SOCKET, SO_KEEPALIVE), 1);
  EXPECT_EQ(option(IPPROTO_TCP, TCP_KEEPIDLE), 33);
  EXPECT_EQ(option(IPPROTO_TCP, TCP_KEEPINTVL), 7);
  EXPECT_EQ(option(IPPROTO_TCP, TCP_KEEPCNT), 5);
  EXPECT_EQ(option(IPPROTO_TCP, TCP_USER_TIMEOUT), 12'345);
  EXPECT_EQ(option(IPPROTO_TCP, TCP_NOTSENT_LOWAT), 4096);
  EXPECT_EQ(option(SOL_SOCKET, SO_SNDBUF), 100'000);  // the kernel doubles it
  EXPECT_EQ(option(SOL_SOCKET, SO_RCVBUF), 120'000);
  const int flags = ::fcntl(accepted.fd.get(), F_GETFL);
  EXPECT_NE(flags & O_NONBLOCK, 0);
  EXPECT_NE(::fcntl(accepted.fd.get(), F_GETFD) & FD_CLOEXEC, 0);
}

TEST_F(KernelStackTest, OptionsThatAreOffAreLeftAlone) {
  TcpOptions tcp;
  tcp.nodelay = false;
  tcp.keepalive = false;
  tcp.user_timeout = std::chrono::milliseconds(0);
  const auto listener = listen(tcp);
  ASSERT_TRUE(listener);
  const int fd = (*listener)->fd();
  EXPECT_EQ(sys::get_option(fd, IPPROTO_TCP, TCP_NODELAY).value_or(-1), 0);
  EXPECT_EQ(sys::get_option(fd, SOL_SOCKET, SO_KEEPALIVE).value_or(-1), 0);
  EXPECT_EQ(sys::get_option(fd, IPPROTO_TCP, TCP_USER_TIMEOUT).value_or(-1), 0);
}

// ---- unix sockets

TEST_F(KernelStackTest, ListensOnAUnixSocketWithItsRightsAndRemovesItsFile) {
  options.unix_path = dir.file("s.sock");
  options.unix_mode = 0600;
  {
    const auto listener = listen();
    ASSERT_TRUE(listener);
    EXPECT_EQ((*listener)->name(), "unix:" + options.unix_path);
    struct stat facts {};
    ASSERT_EQ(::stat(options.unix_path.c_str(), &facts), 0);
    EXPECT_TRUE(S_ISSOCK(facts.st_mode));
    EXPECT_EQ(facts.st_mode & 0777, 0600U);
    auto client = RawClient::unix_socket(options.unix_path);
    EXPECT_EQ(accept(**listener).peer.family(), SocketAddress::Family::kUnix);
  }
  EXPECT_FALSE(std::filesystem::exists(options.unix_path));
}

TEST_F(KernelStackTest, ListensInTheAbstractNamespace) {
  options.unix_path = "@ssxrver-test-" + std::to_string(::getpid());
  const auto listener = listen();
  ASSERT_TRUE(listener);
  EXPECT_EQ((*listener)->name(), "unix:" + options.unix_path);
  auto client = *sys::socket(AF_UNIX, SOCK_STREAM);
  ASSERT_TRUE(sys::connect(client.get(), *sys::make_unix(options.unix_path)));
  EXPECT_TRUE(accept(**listener).fd);
  EXPECT_TRUE(listen().error().is_errno(EADDRINUSE));
}

TEST_F(KernelStackTest, AStaleSocketFileIsReplacedAndAnythingElseIsNot) {
  options.unix_path = dir.file("s.sock");
  {
    // As after a crash: the file stays, nobody listens.
    auto crashed = *sys::socket(AF_UNIX, SOCK_STREAM);
    ASSERT_TRUE(sys::bind(crashed.get(), *sys::make_unix(options.unix_path)));
    ASSERT_TRUE(sys::listen(crashed.get(), 1));
  }
  const auto listener = listen();
  ASSERT_TRUE(listener);
  const auto second = listen();  // this one is alive
  ASSERT_FALSE(second);
  EXPECT_TRUE(second.error().is_errno(EADDRINUSE));
  EXPECT_TRUE(std::filesystem::exists(options.unix_path));

  options.unix_path = dir.write("precious", "text");
  EXPECT_TRUE(listen().error().is_errno(EADDRINUSE));
  EXPECT_EQ(dir.read("precious"), "text");
}

TEST_F(KernelStackTest, AUnixPathThatIsTooLongIsRefused) {
  options.unix_path = dir.file(std::string(108, 'x'));
  EXPECT_TRUE(listen().error().is_errno(ENAMETOOLONG));
}

TEST_F(KernelStackTest, AFailedUnixListenerLeavesNoFile) {
  options.unix_path = dir.file("s.sock");
  sim::fail_at_nth([this](const sim::FaultPlan& plan) {
    const bool listened = listen().has_value();
    if (plan.faults() == 0) {
      EXPECT_TRUE(listened);
    }
    if (std::string_view(plan.latest_fault()) == "unlink") {
      ::unlink(options.unix_path.c_str());  // nothing can be done then
    }
    EXPECT_FALSE(std::filesystem::exists(options.unix_path)) << plan.latest_fault();
  });
}

// ---- inherited descriptors

class InheritedTest : public KernelStackTest {
 protected:
  /// As systemd hands it over: blocking, and not closed on exec.
  int inherit(sys::UniqueFd fd) {
    ::fcntl(fd.get(), F_SETFL, 0);
    ::fcntl(fd.get(), F_SETFD, 0);
    return fd.release();
  }
};

TEST_F(InheritedTest, AListeningDescriptorIsTakenOver) {
  const auto own = listen();
  options.inherited_fd = inherit(*sys::duplicate((*own)->fd()));
  const int fd = options.inherited_fd;
  const auto listener = listen();
  ASSERT_TRUE(listener);
  EXPECT_EQ((*listener)->fd(), fd);
  EXPECT_EQ((*listener)->address(), (*own)->address());
  EXPECT_NE(::fcntl(fd, F_GETFL) & O_NONBLOCK, 0);
  EXPECT_NE(::fcntl(fd, F_GETFD) & FD_CLOEXEC, 0);
  auto client = RawClient::tcp((*listener)->address().port());
  EXPECT_TRUE(accept(**listener).fd);
}

// Who else has it goes on with it.
TEST_F(InheritedTest, ADescriptorOfOthersTooTakesNewcomersForThem) {
  const auto own = listen();
  options.inherited_fd = inherit(*sys::duplicate((*own)->fd()));
  const auto listener = listen();
  ASSERT_TRUE(listener);
  (*listener)->refuse_new();
  auto client = RawClient::tcp((*listener)->address().port());
  EXPECT_TRUE(accept(**own).fd);
}

TEST_F(KernelStackTest, AUnixListenerThatRefusesNewcomersSaysWhenItIsThrough) {
  options.unix_path = dir.file("s.sock");
  const auto listener = listen();
  ASSERT_TRUE(listener);
  auto early = RawClient::unix_socket(options.unix_path);
  (*listener)->refuse_new();
  const auto late = *sys::socket(AF_UNIX, SOCK_STREAM);
  const auto refused = sys::connect(late.get(), *sys::make_unix(options.unix_path));
  ASSERT_FALSE(refused);
  EXPECT_TRUE(refused.error().is_errno(ECONNREFUSED));
  EXPECT_TRUE(accept(**listener).fd);
  const auto none = (*listener)->accept();
  ASSERT_FALSE(none);
  EXPECT_TRUE(none.error() == make_error_code(Errc::kClosed));
}

TEST_F(KernelStackTest, AListenerThatCannotRefuseNewcomersTakesThem) {
  const auto listener = listen();
  ASSERT_TRUE(listener);
  sim::FaultPlan plan;
  plan.fail(Call::kIgnoreNew, ENOMEM);
  (*listener)->refuse_new();
  auto client = RawClient::tcp((*listener)->address().port());
  EXPECT_TRUE(accept(**listener).fd);
}

TEST_F(InheritedTest, WhoHasMadeItMayHaveDeferredAndWeDoNot) {
  TcpOptions deferring;
  deferring.defer_accept = std::chrono::seconds(10);
  const auto own = listen(deferring);
  ASSERT_TRUE(own);
  options.inherited_fd = inherit(*sys::duplicate((*own)->fd()));
  const auto listener = listen();
  ASSERT_TRUE(listener);
  const auto silent = RawClient::tcp((*own)->address().port());
  EXPECT_FALSE(accept(**listener).has_spoken);
}

TEST_F(InheritedTest, AUnixSocketThatIsTakenOverKeepsItsFile) {
  const std::string path = dir.file("s.sock");
  auto socket = *sys::socket(AF_UNIX, SOCK_STREAM);
  ASSERT_TRUE(sys::bind(socket.get(), *sys::make_unix(path)));
  ASSERT_TRUE(sys::listen(socket.get(), 1));
  options.inherited_fd = inherit(std::move(socket));
  {
    const auto listener = listen();
    ASSERT_TRUE(listener);
    EXPECT_EQ((*listener)->name(), "unix:" + path);
  }
  EXPECT_TRUE(std::filesystem::exists(path));  // it is whose who made it
}

TEST_F(InheritedTest, WhatDoesNotListenIsRefused) {
  options.inherited_fd = inherit(*sys::socket(AF_INET, SOCK_STREAM));
  EXPECT_TRUE(listen().error().is_errno(EINVAL));
  options.inherited_fd = inherit(*sys::open("/dev/null", O_RDONLY));
  EXPECT_FALSE(listen());
}

// ---- connecting

TEST_F(KernelStackTest, ConnectsToWhoListens) {
  const auto listener = listen();
  const auto client = KernelStack::instance().connect((*listener)->address(), {});
  ASSERT_TRUE(client);
  EXPECT_TRUE(accept(**listener).fd);
  EXPECT_EQ(sys::take_socket_error(client->fd.get()).value_or(-1), 0);
}

TEST_F(KernelStackTest, ConnectingToNobodyOrNowhereIsAnError) {
  std::optional<SocketAddress> gone;
  {
    const auto listener = listen();
    gone = (*listener)->address();
  }
  const auto refused = KernelStack::instance().connect(*gone, {});
  if (refused) {
    EXPECT_EQ(sys::take_socket_error(refused->fd.get()).value_or(0), ECONNREFUSED);
  } else {
    EXPECT_TRUE(refused.error().is_errno(ECONNREFUSED));
  }
  for (const SocketAddress& nowhere :
       {SocketAddress(), SocketAddress::from_raw(*sys::make_unix("/x"))}) {
    const auto connected = KernelStack::instance().connect(nowhere, {});
    ASSERT_FALSE(connected);
    EXPECT_TRUE(connected.error() == make_error_code(Errc::kBadAddress));
  }
}

// ---- errors

// Who connects is there when the first bytes are.
TEST_F(KernelStackTest, WhoIsDeferredHasSpoken) {
  TcpOptions tcp;
  for (const int seconds : {0, 1}) {
    tcp.defer_accept = std::chrono::seconds(seconds);
    const auto listener = listen(tcp);
    ASSERT_TRUE(listener.has_value());
    auto client = test::RawClient::tcp((*listener)->address().port());
    if (seconds > 0) EXPECT_FALSE((*listener)->somebody_waits());
    ASSERT_TRUE(client.send("x"));
    const auto accepted = (*listener)->accept();
    ASSERT_TRUE(accepted.has_value());
    EXPECT_EQ(accepted->has_spoken, seconds > 0);
  }
}

TEST_F(KernelStackTest, EveryCallMayFailAndNothingLeaks) {
  TcpOptions tcp;
  tcp.fastopen = 16;
  tcp.defer_accept = std::chrono::seconds(1);
  tcp.quickack = true;
  for (const bool reuse : {false, true}) {
    options.reuse_port = reuse;
    const auto failures = sim::fail_at_nth([&](const sim::FaultPlan& plan) {
      const auto listener = listen(tcp);
      EXPECT_EQ(listener.has_value(), plan.faults() == 0);
    });
    EXPECT_GT(failures, 10U);
  }
  const auto target = listen();
  sim::fail_at_nth([&](const sim::FaultPlan& plan) {
    const auto client = KernelStack::instance().connect((*target)->address(), tcp);
    EXPECT_EQ(client.has_value(), plan.faults() == 0);
    while ((*target)->accept()) {
    }
  });
}

}  // namespace
}  // namespace ssx::net
