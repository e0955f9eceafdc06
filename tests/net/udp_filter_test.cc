#include "ssxrver/net/udp_filter.h"

#include <gtest/gtest.h>

#include "tests/support/manual_clock.h"

namespace ssx::net {
namespace {

class UdpFilterTest : public testing::Test {
 protected:
  UdpVerdict judge(const Arrival& arrival) { return filter.judge(arrival, clock.now()); }
  static Arrival from_port(std::uint16_t port) {
    return {.from = SocketAddress::parse("192.0.2.1", port).value(), .bytes = 100};
  }

  test::ManualClock clock;
  UdpOptions options;
  UdpFilter filter{options, 1};
};

TEST_F(UdpFilterTest, PassesAnOrdinaryDatagram) {
  EXPECT_EQ(judge(from_port(40000)), UdpVerdict::kPass);
}

TEST_F(UdpFilterTest, DropsSourcePortZeroWhereNobodyCanBe) {
  EXPECT_EQ(judge(from_port(0)), UdpVerdict::kSourcePort);
  EXPECT_EQ(judge(from_port(1)), UdpVerdict::kPass);
}

TEST_F(UdpFilterTest, DropsPrivilegedSourcePortsWhereHardened) {
  options.source_port_min = 1024;
  UdpFilter hardened(options, 1);
  EXPECT_EQ(hardened.judge(from_port(1023), clock.now()), UdpVerdict::kSourcePort);
  EXPECT_EQ(hardened.judge(from_port(1024), clock.now()), UdpVerdict::kPass);
}

TEST_F(UdpFilterTest, DropsSourcePortZeroEvenWhenEveryPortIsAllowed) {
  options.source_port_min = 0;
  UdpFilter open(options, 1);
  EXPECT_EQ(open.judge(from_port(0), clock.now()), UdpVerdict::kSourcePort);
}

TEST_F(UdpFilterTest, DropsWhatWasCutEmptyOrOurOwn) {
  Arrival arrival = from_port(40000);
  arrival.truncated = true;
  EXPECT_EQ(judge(arrival), UdpVerdict::kTruncated);
  arrival = from_port(40000);
  arrival.bytes = 0;
  EXPECT_EQ(judge(arrival), UdpVerdict::kEmpty);
  arrival = from_port(40000);
  arrival.from_ourselves = true;
  EXPECT_EQ(judge(arrival), UdpVerdict::kOwnAddress);
}

TEST_F(UdpFilterTest, EarnsNoReplyWithADroppedDatagram) {
  Arrival arrival = from_port(40000);
  arrival.truncated = true;
  ASSERT_EQ(judge(arrival), UdpVerdict::kTruncated);
  EXPECT_FALSE(filter.may_send(arrival.from, 1));
}

TEST_F(UdpFilterTest, DropsAboveTheRate) {
  options.rate_per_source = {.events = 1, .per = std::chrono::seconds(1), .burst = 2};
  UdpFilter slow(options, 1);
  EXPECT_EQ(slow.judge(from_port(40000), clock.now()), UdpVerdict::kPass);
  EXPECT_EQ(slow.judge(from_port(40001), clock.now()), UdpVerdict::kPass);
  EXPECT_EQ(slow.judge(from_port(40002), clock.now()), UdpVerdict::kRate);
}

TEST_F(UdpFilterTest, PaysTheReplyRatioOfTheOptions) {
  const Arrival arrival = from_port(40000);
  ASSERT_EQ(judge(arrival), UdpVerdict::kPass);
  EXPECT_FALSE(filter.may_send(arrival.from, 301));
  EXPECT_TRUE(filter.may_send(arrival.from, 300));
}

}  // namespace
}  // namespace ssx::net
