#include "tests/support/fault_gate.h"

#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <string>

#include "tests/support/raw_client.h"

namespace ssx::test {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

/// A listener, and both ends of a connection through a gate to it.
class FaultGateTest : public testing::Test {
 protected:
  struct Ends {
    RawClient client;
    RawClient server;
  };
  FaultGateTest() : listener_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in here{};
    here.sin_family = AF_INET;
    here.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    EXPECT_EQ(::bind(listener_, reinterpret_cast<const sockaddr*>(&here), sizeof here), 0);
    EXPECT_EQ(::listen(listener_, 1), 0);
    socklen_t size = sizeof here;
    EXPECT_EQ(::getsockname(listener_, reinterpret_cast<sockaddr*>(&here), &size), 0);
    port_ = ntohs(here.sin_port);
  }
  ~FaultGateTest() override { ::close(listener_); }

  Ends connect(FaultGate& gate, const FaultGate::Plan& plan = {}) {
    gate.set(plan);
    auto client = RawClient::tcp(gate.port());
    return {std::move(client), RawClient(::accept(listener_, nullptr, nullptr))};
  }

  int listener_;
  std::uint16_t port_ = 0;
};

TEST_F(FaultGateTest, PassesBytesAndEndsBothWays) {
  FaultGate gate(port_);
  auto [client, server] = connect(gate);
  client.send("question");
  EXPECT_EQ(server.read(8), "question");
  client.half_close();
  server.expect_end();
  server.send("answer");
  EXPECT_EQ(client.read(6), "answer");
  server.close();
  client.expect_end();
  EXPECT_EQ(gate.passed_to_server(), 8u);
  EXPECT_EQ(gate.passed_to_client(), 6u);
}

TEST_F(FaultGateTest, PassesMoreThanItHolds) {
  FaultGate gate(port_);
  auto [client, server] = connect(gate, {.to_client = {.piece = 5000}});
  std::string large(FaultGate::kWaitingMax * 4, 'x');
  for (std::size_t i = 0; i < large.size(); i += 997) large[i] = 'y';
  Thread sender = *Thread::start("sender", {}, [&server = server, &large] {
    server.send(large);
    server.close();
  });
  EXPECT_EQ(client.read_to_end(), large);
}

TEST_F(FaultGateTest, ResetsWhenEitherSideDoes) {
  FaultGate gate(port_);
  auto [client, server] = connect(gate);
  client.send("x");
  server.read(1);
  client.reset();
  EXPECT_EQ(server.read_to_end(), "");
  EXPECT_TRUE(server.was_reset());
}

TEST_F(FaultGateTest, CutsIntoPieces) {
  FaultGate gate(port_);
  auto [client, server] = connect(gate, {.to_server = {.piece = 1, .delay = 1ms}});
  client.send("abc");
  EXPECT_EQ(server.read(3), "abc");
}

TEST_F(FaultGateTest, DelaysOneDirection) {
  FaultGate gate(port_);
  auto [client, server] = connect(gate, {.to_server = {.delay = 50ms}});
  const auto begin = Clock::now();
  server.send("b");
  EXPECT_EQ(client.read(1), "b");
  client.send("a");
  EXPECT_EQ(server.read(1), "a");
  EXPECT_GE(Clock::now() - begin, 50ms);
}

TEST_F(FaultGateTest, LimitsTheRate) {
  FaultGate gate(port_);
  const auto begin = Clock::now();
  auto [client, server] = connect(gate, {.to_server = {.bytes_per_second = 10'000}});
  client.send(std::string(1000, 'x'));
  EXPECT_EQ(server.read(1000).size(), 1000u);
  EXPECT_GE(Clock::now() - begin, 99ms);
}

TEST_F(FaultGateTest, MergesUntilThereIsEnoughOrQuiet) {
  FaultGate gate(port_);
  auto [client, server] = connect(gate, {.to_server = {.merge = 4}});
  const auto begin = Clock::now();
  client.send("ab");
  EXPECT_EQ(server.read(2), "ab");
  EXPECT_GE(Clock::now() - begin, FaultGate::kMergeQuiet);
  client.send_in_pieces("cdef", 1);
  EXPECT_EQ(server.read(4), "cdef");
  client.send("g");
  client.half_close();
  EXPECT_EQ(server.read_to_end(), "g");
}

TEST_F(FaultGateTest, InvertsOneByte) {
  FaultGate gate(port_);
  auto [client, server] = connect(gate, {.to_server = {.corrupt_at = 3}});
  client.send("ab");
  EXPECT_EQ(server.read(2), "ab");
  client.send("cde");
  EXPECT_EQ(server.read(3),
            "c\x9b"
            "e");
}

TEST_F(FaultGateTest, CutsWithAnEnd) {
  FaultGate gate(port_);
  auto [client, server] = connect(gate, {.to_server = {.cut_at = 3}});
  client.send("abcdef");
  EXPECT_EQ(server.read_to_end(), "abc");
  EXPECT_FALSE(server.was_reset());
  server.send("still here");
  EXPECT_EQ(client.read(10), "still here");
}

TEST_F(FaultGateTest, CutsWithAReset) {
  FaultGate gate(port_);
  auto [client, server] =
      connect(gate, {.to_client = {.cut_at = 0, .cut = FaultGate::Cut::kReset}});
  EXPECT_EQ(client.read_to_end(), "");
  EXPECT_TRUE(client.was_reset());
  EXPECT_EQ(server.read_to_end(), "");
  EXPECT_TRUE(server.was_reset());
}

TEST_F(FaultGateTest, CutsWithoutAWord) {
  FaultGate gate(port_);
  auto [client, server] =
      connect(gate, {.to_server = {.cut_at = 1, .cut = FaultGate::Cut::kSilence}});
  client.send("abc");
  client.half_close();
  EXPECT_EQ(server.read(1), "a");
  server.send("x");
  EXPECT_EQ(client.read(1), "x");  // by now the rest and the end would have come
  EXPECT_EQ(server.read_available(), "");
  EXPECT_FALSE(server.ended());
}

TEST_F(FaultGateTest, RefusesWhereNobodyListens) {
  ::shutdown(listener_, SHUT_RDWR);
  FaultGate gate(port_);
  auto client = RawClient::tcp(gate.port());
  EXPECT_EQ(client.read_to_end(), "");
  EXPECT_TRUE(client.was_reset());
}

}  // namespace
}  // namespace ssx::test
