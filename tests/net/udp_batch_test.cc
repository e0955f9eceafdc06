#include "ssxrver/net/udp_batch.h"

#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/time.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <string>

#include "ssxrver/net/socket_address.h"
#include "tests/net/udp_client.h"
#include "tests/support/sim/kernel.h"

namespace ssx::net {
namespace {

class UdpBatchTest : public testing::Test {
 protected:
  UdpBatchTest() : socket(sys::socket(AF_INET, SOCK_DGRAM).value()) {
    const auto any_port = SocketAddress::parse("127.0.0.1", 0).value();
    EXPECT_TRUE(sys::bind(socket.get(), any_port.to_raw()));
    address = SocketAddress::from_raw(sys::local_address(socket.get()).value());
  }
  /// Fills a batch with exactly `count` datagrams from the client.
  void receive(ReceiveBatch& batch, std::size_t count) const {
    std::size_t have = 0;
    for (std::size_t i = 0; i < count; ++i) client.send(address, std::to_string(i));
    while (have < count) {
      const auto got = batch.receive(socket.get());
      if (got) have += *got;
    }
    ASSERT_EQ(have, count);
  }

  sys::UniqueFd socket;
  SocketAddress address;
  test::UdpClient client;
};

TEST_F(UdpBatchTest, ShowsBytesAndSourceOfEachDatagram) {
  ReceiveBatch batch(1, 64);
  receive(batch, 1);
  EXPECT_EQ(as_text(batch.bytes(0)), "0");
  EXPECT_EQ(SocketAddress::from_raw(batch.source(0)), client.address());
  EXPECT_FALSE(batch.is_truncated(0));
}

TEST_F(UdpBatchTest, SaysThatNothingWaits) {
  ReceiveBatch batch(4, 64);
  const auto got = batch.receive(socket.get());
  ASSERT_FALSE(got.has_value());
  EXPECT_TRUE(got.error().is_errno(EAGAIN));
}

TEST_F(UdpBatchTest, SeesThatADatagramWasLongerThanItsRoom) {
  ReceiveBatch batch(1, 4);
  for (const auto& [text, cut] : {std::pair("1234", false), std::pair("12345", true)}) {
    client.send(address, text);
    while (!batch.receive(socket.get())) {
    }
    EXPECT_EQ(as_text(batch.bytes(0)), "1234");
    EXPECT_EQ(batch.is_truncated(0), cut);
  }
}

TEST_F(UdpBatchTest, TakesRepliesUntilItIsFull) {
  ReceiveBatch received(1, 64);
  receive(received, 1);
  SendBatch by_number(2, 100);
  EXPECT_TRUE(by_number.add(as_bytes("a"), received.return_address(0)));
  EXPECT_TRUE(by_number.add(as_bytes("b"), received.return_address(0)));
  EXPECT_FALSE(by_number.add(as_bytes("c"), received.return_address(0)));
  SendBatch by_bytes(8, 4);
  EXPECT_TRUE(by_bytes.add(as_bytes("1234"), received.return_address(0)));
  EXPECT_TRUE(by_bytes.add(as_bytes(""), received.return_address(0)));
  EXPECT_FALSE(by_bytes.add(as_bytes("5"), received.return_address(0)));
}

TEST_F(UdpBatchTest, CountsWhatBecameOfABatchAndBeginsAnew) {
  ReceiveBatch received(1, 64);
  receive(received, 1);
  SendBatch batch(4, 100);
  for (const char* text : {"aa", "bb", "cc", "dd"}) {
    ASSERT_TRUE(batch.add(as_bytes(text), received.return_address(0)));
  }
  sim::FaultPlan plan;
  plan.limit_bytes(sim::Call::kSendBatch, 1, 1)
      .fail(sim::Call::kSendBatch, EMSGSIZE)
      .limit_bytes(sim::Call::kSendBatch, 1, 1)
      .fail(sim::Call::kSendBatch, EAGAIN);
  const auto outcome = batch.flush(socket.get());
  EXPECT_EQ(outcome.datagrams, 2U);
  EXPECT_EQ(outcome.bytes, 4U);
  EXPECT_EQ(outcome.failed, 1U);
  EXPECT_EQ(outcome.no_room, 1U);
  EXPECT_EQ(client.receive(), "aa");
  EXPECT_EQ(client.receive(), "cc");
  EXPECT_EQ(batch.flush(socket.get()).datagrams, 0U);
  EXPECT_TRUE(batch.add(as_bytes(std::string(100, 'e')), received.return_address(0)));
}

// A received header with one control message.
class ControlTest : public testing::Test {
 protected:
  template <class Info>
  void put(int level, int type, const Info& info) {
    header.msg_control = room.data();
    header.msg_controllen = CMSG_SPACE(sizeof info);
    cmsghdr* const message = CMSG_FIRSTHDR(&header);
    message->cmsg_level = level;
    message->cmsg_type = type;
    message->cmsg_len = CMSG_LEN(sizeof info);
    std::memcpy(CMSG_DATA(message), &info, sizeof info);
  }
  template <class Info>
  Info take() {
    Info info;
    std::memcpy(&info, CMSG_DATA(CMSG_FIRSTHDR(&header)), sizeof info);
    return info;
  }
  static in6_pktinfo info_of(const char* ip) {
    in6_pktinfo info{};
    EXPECT_TRUE(sys::parse_ipv6(ip, info.ipi6_addr.s6_addr));
    info.ipi6_ifindex = 7;
    return info;
  }

  alignas(cmsghdr) std::array<std::byte, sys::kLocalAddressRoom> room{};
  msghdr header{};
};

TEST_F(ControlTest, ReplyLeavesFromTheSameIpv4AddressByAnyInterface) {
  in_pktinfo info{};
  info.ipi_ifindex = 7;
  ASSERT_TRUE(sys::parse_ipv4("192.0.2.1", reinterpret_cast<std::uint8_t*>(&info.ipi_spec_dst)));
  put(IPPROTO_IP, IP_PKTINFO, info);
  sys::reply_from_same_address(header);
  EXPECT_EQ(header.msg_controllen, CMSG_SPACE(sizeof info));
  EXPECT_EQ(take<in_pktinfo>().ipi_ifindex, 0);
  EXPECT_EQ(take<in_pktinfo>().ipi_spec_dst.s_addr, info.ipi_spec_dst.s_addr);
}

TEST_F(ControlTest, ReplyLeavesFromTheSameIpv6AddressByAnyInterface) {
  put(IPPROTO_IPV6, IPV6_PKTINFO, info_of("2001:db8::1"));
  sys::reply_from_same_address(header);
  EXPECT_NE(header.msg_controllen, 0U);
  EXPECT_EQ(take<in6_pktinfo>().ipi6_ifindex, 0U);
}

TEST_F(ControlTest, ReplyFromALinkLocalAddressStaysOnItsLink) {
  put(IPPROTO_IPV6, IPV6_PKTINFO, info_of("fe80::1"));
  sys::reply_from_same_address(header);
  EXPECT_EQ(take<in6_pktinfo>().ipi6_ifindex, 7U);
}

TEST_F(ControlTest, ReplyNeverLeavesFromAMulticastAddress) {
  put(IPPROTO_IPV6, IPV6_PKTINFO, info_of("ff02::1"));
  sys::reply_from_same_address(header);
  EXPECT_EQ(header.msg_controllen, 0U);
}

TEST_F(ControlTest, ReplyTakesNothingElseOver) {
  sys::reply_from_same_address(header);
  EXPECT_EQ(header.msg_controllen, 0U);
  put(SOL_SOCKET, SCM_TIMESTAMP, timeval{});
  sys::reply_from_same_address(header);
  EXPECT_EQ(header.msg_controllen, 0U);
}

}  // namespace
}  // namespace ssx::net
