#include "websocket/client/dialer.h"

#include <gtest/gtest.h>

#include <cerrno>
#include <string>
#include <vector>

#include "ssxrver/net/linux/kernel_stack.h"
#include "ssxrver/net/socket_address.h"
#include "ssxrver/sys/socket_option.h"
#include "tests/websocket/client/client_fixture.h"

namespace ssx::websocket::test {
namespace {

class DialerTest : public ClientTest {
 protected:
  /// A host of that name has these addresses.
  void host_has(std::vector<std::string> addresses) {
    resolver.reset();
    tasks = *net::TaskPool::start({.threads = 1});
    resolver = std::make_unique<net::Resolver>(
        *tasks, [addresses](const std::string&) -> Result<std::vector<sys::RawAddress>> {
          std::vector<sys::RawAddress> raw;
          for (const auto& ip : addresses)
            raw.push_back(net::SocketAddress::parse(ip, 0)->to_raw());
          return raw;
        });
    make_client(to("ws://a.example/echo"));
  }
  void open_named() {
    open();
    loop->run_until([this] { return opened || !stack.asked.empty(); });
    idle();
  }
};

TEST_F(DialerTest, TriesTheAddressesInTheirOrder) {
  host_has({"10.0.0.1", "10.0.0.2", "10.0.0.3"});
  stack.errors = {ECONNREFUSED, ENETUNREACH, 0};
  open_named();
  accept();
  EXPECT_TRUE(opened && *opened);
  EXPECT_EQ(stack.asked, (std::vector<std::string>{"10.0.0.1:80", "10.0.0.2:80", "10.0.0.3:80"}));
}

TEST_F(DialerTest, SaysWhyTheLastOneDidNotDo) {
  host_has({"10.0.0.1", "10.0.0.2"});
  stack.errors = {ECONNREFUSED, ENETUNREACH};
  open_named();
  ASSERT_TRUE(opened && !*opened);
  EXPECT_TRUE(opened->error().error.is_errno(ENETUNREACH));
  EXPECT_EQ(client->counters().dialed.value(), 1U);
  EXPECT_EQ(client->counters().failed_otherwise.value(), 1U);
}

TEST_F(DialerTest, AsksNoOtherAddressWhenSomebodyHasAnswered) {
  host_has({"10.0.0.1", "10.0.0.2"});
  open_named();
  EXPECT_FALSE(request().empty());
  reply("HTTP/1.1 503 Busy\r\nContent-Length: 0\r\n\r\n");
  ASSERT_TRUE(opened && !*opened);
  EXPECT_EQ(opened->error().status, 503);
  EXPECT_EQ(stack.asked.size(), 1U);
}

TEST_F(DialerTest, GivesEachAddressItsShareOfTheTime) {
  host_has({"10.0.0.1", "10.0.0.2"});
  stack.silent = true;
  open_named();
  EXPECT_EQ(stack.asked.size(), 1U);
  advance(5s - 1ms);
  EXPECT_EQ(stack.asked.size(), 1U);
  advance(1ms);
  EXPECT_EQ(stack.asked.size(), 2U);
  advance(5s - 1ms);
  EXPECT_FALSE(opened);
  advance(1ms);
  EXPECT_EQ(failure_code(), make_error_code(Errc::kConnectTimedOut));
  EXPECT_EQ(
      client->socket_counters().failed[static_cast<std::size_t>(Errc::kConnectTimedOut)].value(),
      1U);
}

/// The kernel's network; what a socket has been told before it connects.
class WatchedStack final : public net::NetStack {
 public:
  Result<std::unique_ptr<net::Listener>> listen(const net::ListenOptions& options,
                                                const net::TcpOptions& tcp) override {
    return net::KernelStack::instance().listen(options, tcp);
  }
  Result<net::Accepted> connect(const net::SocketAddress& to, const net::TcpOptions& tcp) override {
    auto socket = net::KernelStack::instance().connect(to, tcp);
    if (socket) {
      no_delay = *sys::get_option(socket->fd.get(), sys::SocketOption::kNoDelay);
      idle_seconds = *sys::get_option(socket->fd.get(), sys::SocketOption::kKeepIdleSeconds);
    }
    return socket;
  }
  int no_delay = -1;
  int idle_seconds = -1;
};

TEST_F(DialerTest, GivesItsSocketsTheirOptions) {
  WatchedStack watched;
  net::ListenOptions where;
  where.address = "127.0.0.1";
  where.port = 0;
  const auto listener = *watched.listen(where, {});
  ClientOptions wanted = to("ws://" + listener->address().to_string() + "/");
  for (const bool changed : {false, true}) {
    if (changed) {
      wanted.tcp.nodelay = false;
      wanted.tcp.keepalive_idle = 33s;
    }
    client = std::make_unique<Client>(*client_table, watched, *resolver, wanted);
    ASSERT_TRUE(client->connect({}));
    idle();
    EXPECT_EQ(watched.no_delay, changed ? 0 : 1);
    EXPECT_EQ(watched.idle_seconds, changed ? 33 : 60);
    client.reset();
  }
}

TEST_F(DialerTest, ChecksTheOptionsBeforeItAsks) {
  make_client(to("wss://10.0.0.1/"));
  open();
  EXPECT_EQ(failure_code(), make_error_code(http::Errc::kTlsNotBuilt));
  EXPECT_EQ(client->connect({}).error(), make_error_code(http::Errc::kTlsNotBuilt));
  EXPECT_TRUE(stack.asked.empty());
}

}  // namespace
}  // namespace ssx::websocket::test
