#include "ssxrver/net/udp_server.h"

#include <gtest/gtest.h>

#include <cerrno>
#include <stdexcept>
#include <string>

#include "ssxrver/net/error.h"
#include "tests/net/udp_fixture.h"
#include "tests/support/counting_allocator.h"
#include "tests/support/fail_at_nth.h"
#include "tests/support/peer.h"
#include "tests/support/sim/kernel.h"

namespace ssx::net {
namespace {

using sim::Call;
using test::UdpClient;

bool has_ipv6() {
  const int fd = ::socket(AF_INET6, SOCK_DGRAM, 0);
  const sys::RawAddress loopback = SocketAddress::parse("::1", 0).value().to_raw();
  const bool works = fd >= 0 && ::bind(fd, loopback.get(), loopback.size) == 0;
  if (fd >= 0) ::close(fd);
  return works;
}

TEST_F(UdpServerTest, EchoesADatagram) {
  serve();
  UdpClient client;
  EXPECT_EQ(ask(client, "hello"), "hello");
  EXPECT_EQ(client.from(), address());
  EXPECT_EQ(counters().bytes_in.value(), 5U);
  EXPECT_EQ(counters().bytes_out.value(), 5U);
}

TEST_F(UdpServerTest, TellsTheHandlerWhoSentWhat) {
  SocketAddress from;
  std::string seen;
  serve([&](const Datagram& datagram, UdpServer::Reply& reply) {
    from = datagram.from;
    seen = as_text(datagram.bytes);
    reply.send(as_bytes("ok"));
  });
  UdpClient client;
  EXPECT_EQ(ask(client, "question"), "ok");
  EXPECT_EQ(seen, "question");
  EXPECT_EQ(from, client.address());
}

TEST_F(UdpServerTest, AnswersWhereItWasAskedAlsoWhenBoundToEveryAddress) {
  options.address = "*";
  serve();
  UdpClient client("127.0.0.1");
  const auto asked = SocketAddress::parse("127.0.0.53", address().port()).value();
  client.send(asked, "hello");
  until_received(1);
  EXPECT_EQ(client.receive(), "hello");
  EXPECT_EQ(client.from(), asked);
}

TEST_F(UdpServerTest, ServesIpv6) {
  SSX_NEEDS_SYSTEM(has_ipv6(), "IPv6");
  options.address = "::1";
  serve();
  UdpClient client("::1");
  EXPECT_EQ(ask(client, "hello"), "hello");
  EXPECT_EQ(client.from(), address());
}

TEST_F(UdpServerTest, AnswersWhereItWasAskedOnEveryIpv6Address) {
  SSX_NEEDS_SYSTEM(has_ipv6(), "IPv6");
  options.address = "::";
  serve();
  UdpClient client("::1");
  const auto asked = SocketAddress::parse("::1", address().port()).value();
  client.send(asked, "hello");
  until_received(1);
  EXPECT_EQ(client.receive(), "hello");
  EXPECT_EQ(client.from(), asked);
}

TEST_F(UdpServerTest, TakesAFullBatchWithOneCallAndAnswersWithOne) {
  options.batch = 8;
  serve();
  UdpClient client;
  for (int i = 0; i < 8; ++i) client.send(address(), std::to_string(i));
  const sim::CallWatch calls;
  until_received(8);
  for (int i = 0; i < 8; ++i) EXPECT_EQ(client.receive(), std::to_string(i));
  EXPECT_LE(calls.of(Call::kReceiveBatch), 8U);
  EXPECT_EQ(calls.of(Call::kReceiveBatch), calls.of(Call::kSendBatch));
}

TEST_F(UdpServerTest, TakesMoreThanABatchInSeveralTurns) {
  options.batch = 4;
  serve();
  UdpClient client;
  for (int i = 0; i < 10; ++i) client.send(address(), std::to_string(i));
  until_received(10);
  for (int i = 0; i < 10; ++i) EXPECT_EQ(client.receive(), std::to_string(i));
}

TEST_F(UdpServerTest, SendsMoreRepliesThanABatchHolds) {
  options.batch = 1;
  serve([](const Datagram& datagram, UdpServer::Reply& reply) {
    for (int i = 0; i < 3; ++i) EXPECT_TRUE(reply.send(datagram.bytes));
  });
  UdpClient client;
  EXPECT_EQ(ask(client, "three"), "three");
  EXPECT_EQ(client.receive(), "three");
  EXPECT_EQ(client.receive(), "three");
}

TEST_F(UdpServerTest, SendsTheLongestReplyWhateverItsBatchHolds) {
  options = {.address = "127.0.0.1", .packet_max = 64, .batch = 1, .reply_ratio = 0};
  const std::string longest(UdpServer::kReplyMax, 'x');
  serve([&](const Datagram&, UdpServer::Reply& reply) {
    EXPECT_TRUE(reply.send(as_bytes(longest)));
    EXPECT_FALSE(reply.send(as_bytes(longest + "y")));
  });
  UdpClient client;
  EXPECT_EQ(ask(client, "?"), longest);
  EXPECT_EQ(counters().limit_reply_ratio_hit.value(), 1U);
}

TEST_F(UdpServerTest, AllocatesNothingForADatagram) {
  serve();
  UdpClient client;
  ask(client, "warm");
  client.send(address(), "again");
  const auto before = test::allocations();
  until_received(2);
  EXPECT_EQ((test::allocations() - before).news, 0);
  EXPECT_EQ(client.receive(), "again");
}

TEST_F(UdpServerTest, DropsRepliesThatFindNoRoom) {
  for (const int error : {EAGAIN, ENOBUFS}) {
    serve();
    UdpClient client;
    client.send(address(), "one");
    {
      sim::FaultPlan plan;
      plan.fail(Call::kSendBatch, error);
      until_received(1);
    }
    EXPECT_EQ(counters().send_no_room.value(), 1U);
    EXPECT_EQ(ask(client, "two"), "two");
  }
}

TEST_F(UdpServerTest, GivesUpOnlyTheReplyThatIsRefused) {
  options.batch = 8;
  serve();
  UdpClient client;
  for (int i = 0; i < 3; ++i) client.send(address(), std::to_string(i));
  sim::FaultPlan plan;
  plan.fail(Call::kSendBatch, EPERM);
  until_received(3);
  EXPECT_EQ(counters().send_errors.value(), 1U);
  EXPECT_EQ(counters().sent.value(), 2U);
  EXPECT_EQ(client.receive(), "1");
  EXPECT_EQ(client.receive(), "2");
}

TEST_F(UdpServerTest, FinishesABatchThatTheKernelTakesInParts) {
  options.batch = 8;
  serve();
  UdpClient client;
  for (int i = 0; i < 5; ++i) client.send(address(), std::to_string(i));
  sim::FaultPlan plan;
  plan.limit_bytes(Call::kSendBatch, 2);
  until_received(5);
  for (int i = 0; i < 5; ++i) EXPECT_EQ(client.receive(), std::to_string(i));
}

TEST_F(UdpServerTest, SendsNoMoreThanTheReplyRatio) {
  serve([](const Datagram&, UdpServer::Reply& reply) {
    EXPECT_FALSE(reply.send(as_bytes(std::string(31, 'x'))));
    EXPECT_TRUE(reply.send(as_bytes(std::string(30, 'y'))));
    EXPECT_FALSE(reply.send(as_bytes("z")));
  });
  UdpClient client;
  EXPECT_EQ(ask(client, "ten bytes!"), std::string(30, 'y'));
  EXPECT_EQ(counters().limit_reply_ratio_hit.value(), 2U);
}

TEST_F(UdpServerTest, DropsDatagramsAboveTheRateOfTheirSource) {
  options.rate_per_source = {.events = 1, .per = 1s, .burst = 2};
  serve();
  UdpClient client;
  for (int i = 0; i < 3; ++i) client.send(address(), std::to_string(i));
  until_received(3);
  EXPECT_EQ(counters().limit_rate_per_source_hit.value(), 1U);
  EXPECT_EQ(counters().sent.value(), 2U);
  clock.advance(1s);
  client.receive();
  client.receive();
  EXPECT_EQ(ask(client, "again"), "again");
}

TEST_F(UdpServerTest, SurvivesAHandlerThatThrows) {
  serve([](const Datagram& datagram, UdpServer::Reply& reply) {
    if (as_text(datagram.bytes) == "std") throw std::runtime_error("mine");
    if (as_text(datagram.bytes) == "int") throw 7;
    reply.send(datagram.bytes);
  });
  UdpClient client;
  client.send(address(), "std");
  client.send(address(), "int");
  EXPECT_EQ(ask(client, "fine"), "fine");
  EXPECT_EQ(counters().handler_errors.value(), 2U);
}

TEST_F(UdpServerTest, MayBeStoppedByItsHandler) {
  serve([this](const Datagram& datagram, UdpServer::Reply& reply) {
    reply.send(datagram.bytes);
    server->stop();
  });
  UdpClient client;
  EXPECT_EQ(ask(client, "last"), "last");
  client.send(address(), "too late");
  idle();
  EXPECT_EQ(counters().received.value(), 1U);
}

TEST_F(UdpServerTest, MayBeStoppedWhileItRests) {
  serve();
  UdpClient client;
  client.send(address(), "hello");
  sim::FaultPlan plan;
  plan.fail(Call::kReceiveBatch, ENOMEM);
  until_error(1);
  server.reset();
  advance(UdpServer::kRest);
}

TEST_F(UdpServerTest, ReportsEveryFailureToStart) {
  for (const char* address : {"127.0.0.1", "*"}) {
    options.address = address;
    const auto failures = sim::fail_at_nth([this](const sim::FaultPlan& plan) {
      const auto created = UdpServer::create(*loop, options, UdpServer::echo());
      EXPECT_EQ(created.has_value(), plan.faults() == 0);
    });
    EXPECT_GE(failures, 4U);  // socket, bind, local_address, epoll_add at the least
  }
}

TEST_F(UdpServerTest, RefusesOptionsOutsideTheirRange) {
  const auto works = [this](std::size_t packet_max, std::size_t batch) {
    options.packet_max = packet_max;
    options.batch = batch;
    return UdpServer::create(*loop, options, UdpServer::echo()).has_value();
  };
  EXPECT_TRUE(works(64, 1));
  EXPECT_TRUE(works(65535, 1));
  EXPECT_TRUE(works(64, 1024));
  EXPECT_FALSE(works(63, 1));
  EXPECT_FALSE(works(65536, 1));
  EXPECT_FALSE(works(64, 0));
  EXPECT_FALSE(works(64, 1025));
}

TEST_F(UdpServerTest, RefusesWhatIsNoAddressAndAPortInUse) {
  options.address = "localhost";
  const auto bad = UdpServer::create(*loop, options, UdpServer::echo());
  ASSERT_FALSE(bad.has_value());
  EXPECT_EQ(bad.error(), Errc::kBadAddress);
  options.address = "127.0.0.1";
  serve();
  options.port = address().port();
  const auto taken = UdpServer::create(*loop, options, UdpServer::echo());
  ASSERT_FALSE(taken.has_value());
  EXPECT_TRUE(taken.error().is_errno(EADDRINUSE));
}

TEST_F(UdpServerTest, KnowsTheEchoHandlerByName) {
  EXPECT_TRUE(UdpServer::builtin("echo").has_value());
  EXPECT_FALSE(UdpServer::builtin("plugin:x").has_value());
}

// Defects of the 2021 program.

TEST_F(UdpServerTest, Defect2021CalledListenOnADatagramSocket) {
  const sim::CallWatch calls;
  serve();
  EXPECT_EQ(calls.of(Call::kListen), 0U);
}

// It handed recvfrom a bad pointer for the length of the address, so replies went astray. The
// kernel shortens that length on each call: every room must be opened again for each batch.
TEST_F(UdpServerTest, Defect2021LostTheSenderOfADatagram) {
  options.batch = 1;
  serve();
  UdpClient first;
  UdpClient second;
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(ask(first, "from the first"), "from the first");
    EXPECT_EQ(ask(second, "from the second"), "from the second");
  }
}

// Its edge-triggered loop read until the socket was empty: one flood starved everybody else.
TEST_F(UdpServerTest, Defect2021ReadForAsLongAsDatagramsCame) {
  options.batch = 2;
  std::uint64_t received_at_timer = 0;
  serve();
  UdpClient client;
  for (int i = 0; i < 20; ++i) client.send(address(), "x");
  until_received(1);
  bool ran = false;
  loop->post([&] {
    received_at_timer = counters().received.value();
    ran = true;
  });
  loop->run_until([&] { return ran; });
  EXPECT_LE(received_at_timer, 6U);
  until_received(20);
}

}  // namespace
}  // namespace ssx::net
