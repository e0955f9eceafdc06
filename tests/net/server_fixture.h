// A TcpServer on the real loopback, with its main loop on this thread.
#pragma once

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "ssxrver/net/connection.h"
#include "ssxrver/net/connections.h"
#include "ssxrver/net/error.h"
#include "ssxrver/net/linux/kernel_stack.h"
#include "ssxrver/net/tcp_server.h"
#include "ssxrver/sys/address.h"
#include "tests/support/raw_client.h"

namespace ssx::net {

using namespace std::chrono_literals;  // NOLINT(google-build-using-namespace): literals only

/// Sends back what arrives; "quit\n" ends the connection, and between two messages it is idle.
class EchoProtocol final : public Protocol {
 public:
  struct Counts {
    std::atomic<int> opened{0};
    std::atomic<int> closed{0};
    std::atomic<int> destroyed{0};
  };
  explicit EchoProtocol(Counts& counts) : counts_(counts) {}
  ~EchoProtocol() override { ++counts_.destroyed; }

  void on_open(Connection& connection) override {
    ++counts_.opened;
    connection.set_idle(true);
  }
  void on_data(Connection& connection, InBuffer& in) override {
    const bool quits = in.text().ends_with("quit\n");
    connection.out().append_copy(in.readable());
    in.consume(in.size());
    connection.set_idle(true);
    if (quits || connection.table().is_draining()) {
      connection.close_after_flush(Connection::Linger::kNo);
    }
  }
  void on_close(Connection&, const Error&) override { ++counts_.closed; }

 private:
  Counts& counts_;
};

/// Says which connection it is; a peer's bytes are forgotten.
class Telling final : public Protocol {
 public:
  Telling(ConnectionId& id, std::atomic<bool>& known) : id_(id), known_(known) {}
  void on_open(Connection& connection) override {
    id_ = connection.id();
    known_ = true;
  }
  void on_data(Connection&, InBuffer& in) override { in.consume(in.size()); }

 private:
  ConnectionId& id_;
  std::atomic<bool>& known_;
};

inline constexpr AcceptMode kAcceptModes[] = {AcceptMode::kThread, AcceptMode::kReusePort,
                                              AcceptMode::kExclusive};

inline std::string name_of(AcceptMode mode) {
  switch (mode) {
    case AcceptMode::kThread:
      return "Thread";
    case AcceptMode::kReusePort:
      return "ReusePort";
    case AcceptMode::kExclusive:
      return "Exclusive";
  }
  return "?";
}

/// A client of this port or, when that is 0, of this path. Not connected, with errno: it was
/// refused or, when the listener went in the middle of the handshake, reset.
inline test::RawClient try_to_dial(std::uint16_t port, const std::string& path = "") {
  const auto at =
      port != 0 ? SocketAddress::parse("127.0.0.1", port)->to_raw() : *sys::make_unix(path);
  const int fd = ::socket(at.get()->sa_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (::connect(fd, at.get(), at.size) == 0) return test::RawClient(fd);
  const int error = errno;
  EXPECT_TRUE(error == ECONNREFUSED || error == ENOENT || error == ECONNRESET) << error;
  ::close(fd);
  errno = error;
  return test::RawClient(-1);
}

class ServerTest : public testing::Test {
 protected:
  ServerTest() {
    options.listeners.resize(1);
    options.listeners[0].port = 0;
    options.workers.count = 2;
  }

  [[nodiscard]] auto try_create() {
    return TcpServer::create(*loop, KernelStack::instance(), options, factory);
  }
  void create() {
    auto created = try_create();
    ASSERT_TRUE(created.has_value()) << created.error().error.message();
    server = *std::move(created);
  }
  void start() {
    if (server == nullptr) create();
    const auto started = server->start(on_worker_start);
    ASSERT_TRUE(started.has_value()) << started.error().message();
  }
  [[nodiscard]] std::uint16_t port() const { return server->address().port(); }
  /// The main loop runs until `done`, for ten seconds at the most. It is not asked again once it
  /// was true: what other threads do may have gone on by then.
  void run_until(const std::function<bool()>& done) {
    const TimePoint end = loop->clock().now() + 10s;
    const TimerId tick = loop->run_every(1ms, [] {});
    bool was_done = false;
    loop->run_until([&] {
      was_done = done();
      return was_done || loop->clock().now() > end;
    });
    loop->cancel(tick);
    EXPECT_TRUE(was_done);
  }
  [[nodiscard]] test::RawClient dial() { return test::RawClient::tcp(port()); }
  /// A client that the server has taken.
  [[nodiscard]] test::RawClient connect() {
    const int before = counts.opened;
    auto client = dial();
    run_until([&] { return counts.opened > before; });
    return client;
  }
  /// The clock of the accept thread goes on while a client waits.
  std::string echo(test::RawClient& client, std::string_view text) {
    EXPECT_TRUE(client.send(text));
    return client.read(text.size());
  }

  std::unique_ptr<EventLoop> loop = *EventLoop::create();
  TcpServerOptions options;
  EchoProtocol::Counts counts;
  TcpServer::ProtocolFactory factory = [this](Worker&, std::uint32_t) {
    return std::make_unique<EchoProtocol>(counts);
  };
  std::function<void(Worker&)> on_worker_start;
  std::unique_ptr<TcpServer> server;
};

/// The same in each of the three ways to accept.
class EveryMode : public ServerTest, public testing::WithParamInterface<AcceptMode> {
 protected:
  EveryMode() { options.workers.accept = GetParam(); }
};

inline auto all_modes() {
  return testing::ValuesIn(
      std::vector<AcceptMode>(std::begin(kAcceptModes), std::end(kAcceptModes)));
}
inline std::string mode_name(const testing::TestParamInfo<AcceptMode>& info) {
  return name_of(info.param);
}

}  // namespace ssx::net
