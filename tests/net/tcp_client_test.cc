#include "ssxrver/net/tcp_client.h"

#include <gtest/gtest.h>

#include <cerrno>
#include <optional>
#include <string>

#include "ssxrver/net/error.h"
#include "ssxrver/net/linux/kernel_stack.h"
#include "ssxrver/sys/socket.h"
#include "tests/net/loop_fixture.h"
#include "tests/support/fail_at_nth.h"
#include "tests/support/open_files.h"

namespace ssx::net {
namespace {

/// Keeps what it receives.
class Listening final : public Protocol {
 public:
  explicit Listening(std::string& heard) : heard_(heard) {}
  void on_open(Connection& connection) override { connection.out().append_copy(as_bytes("ping")); }
  void on_data(Connection&, InBuffer& in) override {
    heard_ += in.text();
    in.consume(in.size());
  }

 private:
  std::string& heard_;
};

/// Gives sockets that never become writable: a connection that is never answered.
class SilentStack final : public NetStack {
 public:
  Result<std::unique_ptr<Listener>> listen(const ListenOptions&, const TcpOptions&) override {
    return fail(ssx::Errc::kUnsupported, "listen");
  }
  Result<Accepted> connect(const SocketAddress& to, const TcpOptions&) override {
    SSX_TRY(auto pair, sys::socket_pair(SOCK_STREAM));
    const std::string filler(65536, 'x');
    while (sys::send(pair.first.get(), as_bytes(filler))) {
    }
    other_ends_.push_back(std::move(pair.second));
    return Accepted{std::move(pair.first), to, nullptr};
  }

 private:
  std::vector<sys::UniqueFd> other_ends_;
};

class TcpClientTest : public LoopTest {
 protected:
  void TearDown() override {
    client.reset();
    end_loop();
  }
  void connect(const SocketAddress& to) {
    client->connect(to, std::make_unique<Listening>(heard), 5s,
                    [this](Result<Connection*> done) { result = std::move(done); });
  }
  static std::unique_ptr<Listener> listen() {
    ListenOptions where;
    where.port = 0;
    return *KernelStack::instance().listen(where, {});
  }

  Connections table{*loop, {}};
  SilentStack silent;
  std::unique_ptr<TcpClient> client = std::make_unique<TcpClient>(table, KernelStack::instance());
  std::optional<Result<Connection*>> result;
  std::string heard;
};

TEST_F(TcpClientTest, ConnectsAndOpensItsProtocol) {
  const auto listener = listen();
  connect(listener->address());
  EXPECT_FALSE(result) << "never before connect() has returned";
  loop->run_until([this] { return result.has_value(); });
  ASSERT_TRUE(result->has_value()) << result->error().message();
  EXPECT_EQ((**result)->peer(), listener->address());
  EXPECT_EQ(client->pending(), 0U);

  const auto accepted = listener->accept();
  ASSERT_TRUE(accepted);
  ASSERT_TRUE(sys::send(accepted->fd.get(), as_bytes("pong")));
  loop->run_until([this] { return heard == "pong"; });
}

TEST_F(TcpClientTest, TellsThatNobodyListens) {
  const SocketAddress address = listen()->address();
  connect(address);
  loop->run_until([this] { return result.has_value(); });
  ASSERT_FALSE(result->has_value());
  EXPECT_TRUE(result->error().is_errno(ECONNREFUSED));
  EXPECT_TRUE(table.empty());
}

TEST_F(TcpClientTest, GivesUpWhenTheTimeIsOver) {
  client = std::make_unique<TcpClient>(table, silent);
  connect(*SocketAddress::parse("127.0.0.1", 1));
  advance(5s - 1ns);
  EXPECT_FALSE(result);
  advance(1ns);
  ASSERT_TRUE(result);
  EXPECT_EQ(result->error(), make_error_code(Errc::kTimedOut));
  EXPECT_EQ(client->pending(), 0U);
}

TEST_F(TcpClientTest, ADestroyedClientGivesUpWithoutAWord) {
  client = std::make_unique<TcpClient>(table, silent);
  const auto before = test::open_files();
  connect(*SocketAddress::parse("127.0.0.1", 1));
  EXPECT_EQ(client->pending(), 1U);
  client.reset();
  advance(1h);
  EXPECT_FALSE(result);
  EXPECT_EQ(test::open_files(), before + 1) << "the stack's own end";
}

TEST_F(TcpClientTest, WhatFailsAtOnceIsToldLaterToo) {
  const auto listener = listen();
  for (const sim::Call call : {sim::Call::kSocket, sim::Call::kConnect, sim::Call::kEpollAdd}) {
    result.reset();
    sim::FaultPlan plan;
    plan.fail(call);
    const auto before = test::open_files();
    connect(listener->address());
    EXPECT_FALSE(result) << "never before connect() has returned";
    EXPECT_EQ(client->pending(), 0U);
    idle();
    EXPECT_EQ(plan.faults(), 1U);
    ASSERT_TRUE(result) << plan.latest_fault();
    EXPECT_FALSE(result->has_value()) << plan.latest_fault();
    EXPECT_EQ(test::open_files(), before);
  }
}

// The descriptor is registered twice: while it waits, then by the connection.
TEST_F(TcpClientTest, AConnectionThatThePollerRefusesIsToldAsAnError) {
  const auto listener = listen();
  sim::FaultPlan plan;
  plan.pass(sim::Call::kEpollAdd, 1).fail(sim::Call::kEpollAdd);
  connect(listener->address());
  loop->run_until([this] { return result.has_value(); });
  EXPECT_EQ(plan.faults(), 1U);
  ASSERT_FALSE(result->has_value());
  EXPECT_EQ(result->error(), make_error_code(Errc::kClosed));
  EXPECT_EQ(client->pending(), 0U);
  EXPECT_TRUE(table.empty());
}

}  // namespace
}  // namespace ssx::net
