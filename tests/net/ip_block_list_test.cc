#include "ssxrver/net/ip_block_list.h"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "ssxrver/net/error.h"

namespace ssx::net {
namespace {

IpBlockList list(const std::vector<std::string>& entries) {
  auto made = IpBlockList::create(entries);
  EXPECT_TRUE(made.has_value());
  return made ? *std::move(made) : IpBlockList();
}

bool blocks(const IpBlockList& blocked, std::string_view ip) {
  return blocked.contains(*SocketAddress::parse(ip, 1234));
}

TEST(IpBlockList, AnEmptyOneBlocksNobody) {
  EXPECT_TRUE(list({}).empty());
  EXPECT_FALSE(blocks(list({}), "127.0.0.1"));
}

TEST(IpBlockList, BlocksExactAddressesAsIn2021) {
  const auto blocked = list({"10.0.0.1", "192.168.1.20", "::1"});
  EXPECT_TRUE(blocks(blocked, "10.0.0.1"));
  EXPECT_TRUE(blocks(blocked, "192.168.1.20"));
  EXPECT_TRUE(blocks(blocked, "::1"));
  EXPECT_FALSE(blocks(blocked, "10.0.0.0"));
  EXPECT_FALSE(blocks(blocked, "10.0.0.2"));
  EXPECT_FALSE(blocks(blocked, "::2"));
}

TEST(IpBlockList, BlocksRangesToTheirEdges) {
  const auto blocked = list({"10.1.2.128/25", "2001:db8::/32", "172.16.0.0/12"});
  for (const char* inside : {"10.1.2.128", "10.1.2.255", "172.16.0.0", "172.31.255.255",
                             "2001:db8::", "2001:db8:ffff:ffff:ffff:ffff:ffff:ffff"}) {
    EXPECT_TRUE(blocks(blocked, inside)) << inside;
  }
  for (const char* outside : {"10.1.2.127", "10.1.3.0", "172.15.255.255", "172.32.0.0",
                              "2001:db7:ffff:ffff:ffff:ffff:ffff:ffff", "2001:db9::"}) {
    EXPECT_FALSE(blocks(blocked, outside)) << outside;
  }
}

TEST(IpBlockList, HostBitsOfARangeDoNotMatter) {
  EXPECT_TRUE(blocks(list({"10.0.0.77/8"}), "10.255.0.1"));
}

TEST(IpBlockList, TheWholeOfOneFamilyLeavesTheOtherAlone) {
  EXPECT_TRUE(blocks(list({"0.0.0.0/0"}), "255.255.255.255"));
  EXPECT_FALSE(blocks(list({"0.0.0.0/0"}), "::1"));
  EXPECT_TRUE(blocks(list({"::/0"}), "fe80::1"));
}

TEST(IpBlockList, AMappedAddressIsTheIpv4OneThatItMeans) {
  EXPECT_TRUE(blocks(list({"::ffff:10.0.0.1"}), "10.0.0.1"));
  const auto blocked = list({"10.0.0.0/8"});
  EXPECT_TRUE(blocks(blocked, "::ffff:10.1.2.3"));
}

TEST(IpBlockList, RangesThatOverlapAreMerged) {
  const auto blocked = list({"10.0.0.0/8", "10.1.0.0/16", "10.0.0.0/30", "9.0.0.0/8"});
  EXPECT_TRUE(blocks(blocked, "10.200.0.1"));
  EXPECT_TRUE(blocks(blocked, "9.1.1.1"));
  EXPECT_FALSE(blocks(blocked, "11.0.0.0"));
}

TEST(IpBlockList, AUnixPeerIsNeverBlocked) {
  EXPECT_FALSE(list({"0.0.0.0/0", "::/0"}).contains(SocketAddress()));
}

TEST(IpBlockList, RefusesWhatIsNoAddress) {
  for (const char* entry :
       {"", "/", "10.0.0.1/", "10.0.0.1/33", "10.0.0.1/-1", "10.0.0.1/8x", "10.0.0", "localhost",
        "10.0.0.1 ", "::1/129", "1.2.3.4/8/8", "10.0.0.1/99999999999999999999"}) {
    EXPECT_FALSE(IpBlockList::is_valid(entry)) << entry;
    const auto made = IpBlockList::create({"10.0.0.1", entry});
    ASSERT_FALSE(made) << entry;
    EXPECT_TRUE(made.error() == make_error_code(Errc::kBadAddress));
  }
  for (const char* entry : {"0.0.0.0/0", "10.0.0.1/32", "::1/128", "::/0", "fe80::1"}) {
    EXPECT_TRUE(IpBlockList::is_valid(entry)) << entry;
  }
}

TEST(IpBlockList, AgreesWithALinearSearch) {
  std::mt19937 random(5);
  std::vector<std::string> entries;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> ranges;
  for (int i = 0; i < 200; ++i) {
    const auto base =
        static_cast<std::uint32_t>(random() & 0xffff);  // close together, so that they overlap
    const unsigned prefix = 20 + static_cast<unsigned>(random() % 13);
    const std::uint32_t mask = prefix == 32 ? 0 : (1U << (32 - prefix)) - 1;
    entries.push_back("10.0." + std::to_string(base >> 8) + "." + std::to_string(base & 0xff) +
                      "/" + std::to_string(prefix));
    ranges.emplace_back(base & ~mask, base | mask);
  }
  const auto blocked = list(entries);
  for (std::uint32_t host = 0; host < 0x10000; host += 3) {
    bool expected = false;
    for (const auto& [first, last] : ranges) expected = expected || (first <= host && host <= last);
    const std::string ip = "10.0." + std::to_string(host >> 8) + "." + std::to_string(host & 0xff);
    ASSERT_EQ(blocks(blocked, ip), expected) << ip;
  }
}

}  // namespace
}  // namespace ssx::net
