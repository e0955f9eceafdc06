#include "ssxrver/net/proxy_protocol.h"

#include <gtest/gtest.h>

#include <string>

#include "tests/net/connection_fixture.h"
#include "tests/support/captured_log.h"
#include "tests/support/feed_every_split.h"

namespace ssx::net {
namespace {

constexpr std::string_view kHeader = "PROXY TCP4 192.0.2.1 10.0.0.1 12345 80\r\n";

class ProxyProtocolTest : public ConnectionTest {
 protected:
  MemoryPeer come(ProxyMode mode = ProxyMode::kOn, Hooks hooks = {}) {
    auto pair = wire.pair(*SocketAddress::parse("10.0.0.7", 4000));
    auto inner = test::record_into(record, std::move(hooks));
    connections().on_removed([this](const Connection& ended) {
      if (ended.is_counted()) admission->leave(ended.peer());
    });
    proxied = connections().adopt(
        std::move(pair.accepted),
        std::make_unique<ProxyProtocol>(std::move(inner), mode, 5s, *admission, counted));
    return std::move(pair.peer);
  }
  void limit(AccessOptions access) { admission = *Admission::create({}, access); }

  const test::CapturedLog log;
  std::unique_ptr<Admission> admission = *Admission::create({}, {});
  AcceptCounters counted;
  Connection* proxied = nullptr;
};

TEST_F(ProxyProtocolTest, MakesTheClientThePeerHoweverItIsCut) {
  const std::string sent = std::string(kHeader) + "hello";
  test::feed_every_split(sent, [this](const test::Pieces& pieces) {
    record = {};
    std::string seen;
    auto peer = come(ProxyMode::kOn, {.on_open = [&seen](Connection& connection) {
                       seen = connection.peer().to_string();
                     }});
    for (const std::string_view piece : pieces) {
      peer.send(piece);
      idle();
    }
    ASSERT_EQ(record.data, "hello");
    EXPECT_EQ(seen, "192.0.2.1:12345");
    EXPECT_EQ(record.count("open"), 1U);
    peer.close();
    idle();
    EXPECT_EQ(record.closes, 1);
  });
}

TEST_F(ProxyProtocolTest, AnswersAsIfTheProxyWereNotThere) {
  auto peer = come(ProxyMode::kOn, test::echo_hooks());
  peer.send(kHeader);
  idle();
  peer.send("ping");
  idle();
  EXPECT_EQ(peer.received(), "ping");
  advance(1h);  // the header's deadline went with the header
  EXPECT_FALSE(peer.saw_reset());
}

TEST_F(ProxyProtocolTest, AProxyMaySpeakForItself) {
  std::string seen;
  auto peer =
      come(ProxyMode::kOn,
           {.on_open = [&seen](Connection& connection) { seen = connection.peer().to_string(); }});
  peer.send("PROXY UNKNOWN\r\nx");
  idle();
  EXPECT_EQ(record.data, "x");
  EXPECT_EQ(seen, "10.0.0.7:4000");
}

TEST_F(ProxyProtocolTest, G07WhatIsMalformedIsReset) {
  for (const ProxyMode mode : {ProxyMode::kOn, ProxyMode::kOptional}) {
    auto peer = come(mode);
    peer.send("PROXY TCP4 nonsense\r\n");
    idle();
    EXPECT_TRUE(peer.saw_reset());
  }
  EXPECT_EQ(counted.proxy_malformed.value(), 2U);
  EXPECT_EQ(record.told(), "");  // the inner protocol never learned of it
  EXPECT_EQ(record.destroyed, 2);
  EXPECT_FALSE(log.lines().empty());
}

TEST_F(ProxyProtocolTest, G07WithoutAHeaderThereIsNothingWhereOneIsRequired) {
  auto peer = come(ProxyMode::kOn);
  peer.send("GET / HTTP/1.1\r\n\r\n");
  idle();
  EXPECT_TRUE(peer.saw_reset());
  EXPECT_EQ(counted.proxy_malformed.value(), 1U);
  EXPECT_EQ(record.told(), "");
}

TEST_F(ProxyProtocolTest, WithoutAHeaderTheProxyIsTheClientWhereItIsOptional) {
  auto peer = come(ProxyMode::kOptional);
  peer.send("P");
  idle();
  EXPECT_EQ(record.told(), "");  // it may still become one
  peer.send("OST / HTTP/1.1\r\n\r\n");
  idle();
  EXPECT_EQ(record.data, "POST / HTTP/1.1\r\n\r\n");
  EXPECT_EQ(proxied->peer().to_string(), "10.0.0.7:4000");
  EXPECT_EQ(counted.proxy_malformed.value(), 0U);
}

TEST_F(ProxyProtocolTest, TheDeadlineIsAbsolute) {
  auto peer = come();
  for (int i = 0; i < 4; ++i) {
    advance(1s);
    peer.send(kHeader.substr(static_cast<std::size_t>(i), 1));
    idle();
  }
  EXPECT_FALSE(peer.saw_reset());
  advance(1s + 200ms);  // the wheel is not finer
  EXPECT_TRUE(peer.saw_reset());
  EXPECT_EQ(counted.proxy_timeouts.value(), 1U);
  EXPECT_EQ(record.told(), "");
}

TEST_F(ProxyProtocolTest, APeerThatEndsBeforeItsHeaderIsForgotten) {
  auto peer = come();
  peer.send("PROXY TCP");
  peer.end();
  idle();
  EXPECT_TRUE(peer.saw_close());
  EXPECT_EQ(record.told(), "");
  EXPECT_EQ(connections().size(), 0U);
}

TEST_F(ProxyProtocolTest, TheClientIsCountedAndNotTheProxy) {
  limit({.trusted_proxies = {"10.0.0.0/8"}, .connections_per_ip = 2});
  const auto client = *SocketAddress::parse("192.0.2.1", 0);
  std::vector<MemoryPeer> peers;
  for (std::uint32_t i = 1; i <= 3; ++i) {
    record = {};
    peers.push_back(come());
    peers.back().send(kHeader);
    idle();
    EXPECT_EQ(peers.back().saw_reset(), i == 3);
    EXPECT_EQ(admission->connections_of(client), std::min(i, 2U));
  }
  EXPECT_EQ(counted.limit_connections_per_ip_hit.value(), 1U);
  peers[0].close();
  idle();
  EXPECT_EQ(admission->connections_of(client), 1U);
  peers[1].reset();
  idle();
  EXPECT_EQ(admission->connections_of(client), 0U);
  EXPECT_EQ(admission->connections_of(*SocketAddress::parse("10.0.0.7", 0)), 0U);
}

TEST_F(ProxyProtocolTest, TheClientIsJudgedByTheLists) {
  limit({.deny = {"192.0.2.0/24"}, .trusted_proxies = {"10.0.0.0/8"}});
  auto peer = come();
  peer.send(kHeader);
  idle();
  EXPECT_TRUE(peer.saw_reset());
  EXPECT_EQ(counted.denied.value(), 1U);
  EXPECT_EQ(record.told(), "");
}

}  // namespace
}  // namespace ssx::net
