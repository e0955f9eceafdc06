// The client through proxies of others, to a server of ours: on the real kernel.
#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <fstream>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "ssxrver/app/app.h"
#include "ssxrver/net/connections.h"
#include "ssxrver/net/event_loop.h"
#include "ssxrver/net/linux/kernel_stack.h"
#include "ssxrver/net/spawn.h"
#include "tests/support/child_process.h"
#include "tests/support/peer.h"
#include "tests/support/reserved_port.h"
#include "tests/support/temp_dir.h"
#include "websocket/client/client.h"

namespace ssx::websocket::test {
namespace {

using ssx::test::ChildProcess;
using ssx::test::ReservedPort;
using Kind = ClientProxy::Kind;

/// A server of ours, and a client on a loop of the test's thread.
class ProxyPeersTest : public testing::Test {
 protected:
  void SetUp() override {
    app_.workers(1).ws("/echo", {.on_message = [](auto& socket, const Message& message) {
                         socket.send(message);
                       }});
    app_.listen(0);
    const auto at = app_.start();
    ASSERT_TRUE(at);
    server_ = at->port();
  }
  void TearDown() override {
    if (proxy_ != nullptr) proxy_->signal(SIGTERM);
    app_.stop();
    app_.wait();
  }
  /// Neither proxy tells when it listens.
  void start(const std::vector<std::string>& command) {
    proxy_ = std::make_unique<ChildProcess>(ChildProcess::start(command));
    const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (!listens()) {
      ASSERT_TRUE(proxy_->running()) << command[0];
      ASSERT_LT(std::chrono::steady_clock::now(), until) << command[0] << " does not listen";
      std::this_thread::yield();
    }
  }
  [[nodiscard]] bool listens() const {
    const int fd = ::socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in at{};
    at.sin_family = AF_INET;
    at.sin_port = htons(port_.number());
    at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    const bool there = ::connect(fd, reinterpret_cast<const sockaddr*>(&at), sizeof at) == 0;
    ::close(fd);
    return there;
  }

  /// What comes back for "hello" through a proxy, or why nothing does.
  std::string talk(ClientProxy proxy) {
    ClientOptions options;
    options.url = "ws://127.0.0.1:" + std::to_string(server_) + "/echo";
    proxy.host = "127.0.0.1";
    proxy.port = port_.number();
    options.proxy = std::move(proxy);
    Client client(connections_, net::KernelStack::instance(), resolver_, options);
    std::optional<std::string> said;
    net::spawn(*loop_, say_hello(client, said), &net::log_failure);
    loop_->run_until([&said] { return said.has_value(); });
    return *said;
  }
  static Task<> say_hello(Client& client, std::optional<std::string>& said) {
    auto socket = co_await client.open();
    if (!socket) {
      said = socket.error().message();
      co_return;
    }
    (void)co_await socket->send("hello");
    const auto message = co_await socket->receive();
    const std::string text = message ? std::string(message->payload) : message.error().message();
    co_await socket->close();
    said = text;
  }

  App app_;
  std::uint16_t server_ = 0;
  const ReservedPort port_;
  std::unique_ptr<ChildProcess> proxy_;
  std::unique_ptr<net::TaskPool> tasks_ = *net::TaskPool::start({});
  net::Resolver resolver_{*tasks_};
  std::unique_ptr<net::EventLoop> loop_ = *net::EventLoop::create();
  net::Connections connections_{*loop_, {}};
};

TEST_F(ProxyPeersTest, GoesThroughMicrosocks) {
  SSX_NEEDS_PEER(!ssx::test::find_program("microsocks").empty(), "microsocks");
  start({"microsocks", "-i", "127.0.0.1", "-p", std::to_string(port_.number()), "-u", "me", "-P",
         "secret"});
  EXPECT_EQ(talk({.kind = Kind::kSocks5, .user = "me", .password = "secret"}), "hello");
  EXPECT_EQ(talk({.kind = Kind::kSocks5, .user = "me", .password = "wrong"}),
            "socks5: the proxy does not take this user and password");
  EXPECT_EQ(talk({.kind = Kind::kSocks5}),
            "socks5: the proxy does not take this user and password");
  const ReservedPort nobody;
  server_ = nobody.number();
  EXPECT_EQ(talk({.kind = Kind::kSocks5, .user = "me", .password = "secret"}),
            "socks5 proxy: Connection refused");
}

TEST_F(ProxyPeersTest, GoesThroughTinyproxy) {
  SSX_NEEDS_PEER(!ssx::test::find_program("tinyproxy").empty(), "tinyproxy");
  const ssx::test::TempDir folder;
  std::ofstream(folder.path() + "/conf")
      << "Port " << port_.number() << "\nListen 127.0.0.1\nTimeout 60\nLogLevel Critical\n"
      << "BasicAuth me secret\n";
  start({"tinyproxy", "-d", "-c", folder.path() + "/conf"});
  EXPECT_EQ(talk({.kind = Kind::kHttp, .user = "me", .password = "secret"}), "hello");
  EXPECT_EQ(talk({.kind = Kind::kHttp, .user = "me", .password = "wrong"}),
            "proxy: the proxy refuses (401)");
  EXPECT_EQ(talk({.kind = Kind::kHttp}),
            "proxy: the proxy does not take this user and password (407)");
}

}  // namespace
}  // namespace ssx::websocket::test
