// What a UDP server meets on the open internet; each test is a row of the abuse tests' B15.
#include <gtest/gtest.h>

#include <cerrno>
#include <string>

#include "tests/net/udp_fixture.h"
#include "tests/support/peer.h"
#include "tests/support/sim/kernel.h"

namespace ssx::net {
namespace {

using sim::Call;
using test::UdpClient;

class UdpAbuseTest : public UdpServerTest {};

TEST_F(UdpAbuseTest, DropsAnEmptyDatagram) {
  serve();
  UdpClient client;
  client.send(address(), "");
  until_received(1);
  EXPECT_EQ(counters().empty.value(), 1U);
  EXPECT_TRUE(client.is_quiet());
}

TEST_F(UdpAbuseTest, TakesDatagramsUpToMaxPacketAndDropsLongerOnes) {
  serve();
  UdpClient client;
  for (const std::size_t size : {2047U, 2048U}) {
    const std::string bytes(size, 'a');
    EXPECT_EQ(ask(client, bytes), bytes);
  }
  for (const std::size_t size : {2049U, 65507U}) client.send(address(), std::string(size, 'b'));
  until_received(4);
  EXPECT_EQ(counters().limit_packet_max_hit.value(), 2U);
  EXPECT_TRUE(client.is_quiet());
  EXPECT_EQ(ask(client, "still there"), "still there");
}

TEST_F(UdpAbuseTest, TakesTheLongestDatagramWhereMaxPacketAllowsIt) {
  options.packet_max = 65535;
  serve();
  UdpClient client;
  const std::string longest(65507, 'a');
  EXPECT_EQ(ask(client, longest), longest);
}

TEST_F(UdpAbuseTest, DropsSourcePortZero) {
  SSX_NEEDS_SYSTEM(test::may_forge_udp(), "right to open raw sockets");
  serve();
  test::forge_udp(SocketAddress::parse("127.0.0.1", 0).value(), address());
  until_received(1);
  EXPECT_EQ(counters().limit_source_port_min_hit.value(), 1U);
  EXPECT_EQ(counters().sent.value(), 0U);
}

TEST_F(UdpAbuseTest, DropsADatagramThatNamesItselfAsTheSource) {
  SSX_NEEDS_SYSTEM(test::may_forge_udp(), "right to open raw sockets");
  serve();
  test::forge_udp(address(), address());
  until_received(1);
  idle();
  EXPECT_EQ(counters().own_address.value(), 1U);
  EXPECT_EQ(counters().received.value(), 1U);
  EXPECT_EQ(counters().sent.value(), 0U);
}

TEST_F(UdpAbuseTest, DropsItsOtherAddressesWhenBoundToEveryAddress) {
  SSX_NEEDS_SYSTEM(test::may_forge_udp(), "right to open raw sockets");
  options.address = "*";
  serve();
  const auto port = address().port();
  test::forge_udp(SocketAddress::parse("127.0.0.2", port).value(),
                  SocketAddress::parse("127.0.0.1", port).value());
  until_received(1);
  idle();
  EXPECT_EQ(counters().own_address.value(), 1U);
  EXPECT_EQ(counters().received.value(), 1U);
}

TEST_F(UdpAbuseTest, AnswersAPeerThatHasTheSamePortElsewhere) {
  serve();
  UdpClient twin(SocketAddress::parse("127.0.0.9", address().port()).value());
  EXPECT_EQ(ask(twin, "same port"), "same port");
}

// The first datagram's sender has gone, and a second echo server has taken its port: what one of
// them sends, the other one answers.
TEST_F(UdpAbuseTest, EndsAPingPongBetweenTwoEchoServers) {
  options.rate_per_source = {.events = 1000, .per = 1s, .burst = 50};
  serve();
  {
    UdpClient instigator;
    instigator.send(address(), "for ever?");
    options.port = instigator.address().port();
  }
  const auto other = UdpServer::create(*loop, options, UdpServer::echo()).value();
  const auto dropped = [&] {
    return counters().limit_rate_per_source_hit.value() +
           other->counters().limit_rate_per_source_hit.value();
  };
  loop->run_until([&] { return dropped() > 0; });
  EXPECT_EQ(dropped(), 1U);
  EXPECT_EQ(counters().received.value() + other->counters().received.value(), 101U);
  EXPECT_EQ(counters().sent.value() + other->counters().sent.value(), 100U);
}

TEST_F(UdpAbuseTest, IsNotBlockedByAClientThatHasGone) {
  serve();
  {
    UdpClient gone;
    gone.send(address(), "answer me");
  }  // the reply meets a closed port: ICMP port unreachable
  until_received(1);
  UdpClient client;
  EXPECT_EQ(ask(client, "hello"), "hello");
}

TEST_F(UdpAbuseTest, GoesOnAfterErrorsAboutPeers) {
  serve();
  UdpClient client;
  client.send(address(), "hello");
  sim::FaultPlan plan;
  plan.fail(Call::kReceiveBatch, ECONNREFUSED, 3).fail(Call::kReceiveBatch, EHOSTUNREACH);
  until_received(1);
  EXPECT_EQ(client.receive(), "hello");
  EXPECT_EQ(counters().receive_errors.value(), 4U);
}

TEST_F(UdpAbuseTest, RestsAfterAnErrorThatStaysInsteadOfSpinning) {
  serve();
  UdpClient client;
  client.send(address(), "hello");
  sim::FaultPlan plan;
  plan.fail(Call::kReceiveBatch, ENOMEM, 2);
  until_error(1);
  const sim::CallWatch calls;
  idle();
  EXPECT_EQ(calls.of(Call::kReceiveBatch), 0U);
  advance(UdpServer::kRest - 1ms);
  EXPECT_EQ(calls.of(Call::kReceiveBatch), 0U);
  advance(1ms);
  until_error(2);
  advance(UdpServer::kRest);
  until_received(1);
  EXPECT_EQ(client.receive(), "hello");
}

TEST_F(UdpAbuseTest, RestsAgainWhenItCannotReturnToThePoller) {
  serve();
  UdpClient client;
  client.send(address(), "hello");
  sim::FaultPlan plan;
  plan.fail(Call::kReceiveBatch, ENOMEM).fail(Call::kEpollAdd, ENOMEM);
  until_error(1);
  advance(UdpServer::kRest);
  EXPECT_EQ(counters().received.value(), 0U);
  advance(UdpServer::kRest);
  until_received(1);
  EXPECT_EQ(client.receive(), "hello");
}

}  // namespace
}  // namespace ssx::net
