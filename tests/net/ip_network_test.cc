#include "ssxrver/net/ip_network.h"

#include <gtest/gtest.h>

#include <array>
#include <random>
#include <string>
#include <vector>

#include "ssxrver/net/error.h"

namespace ssx::net {
namespace {

IpNetworkSet list(const std::vector<std::string>& entries) {
  auto made = IpNetworkSet::create(entries);
  EXPECT_TRUE(made.has_value());
  return made ? *std::move(made) : IpNetworkSet();
}

bool blocks(const IpNetworkSet& blocked, std::string_view ip) {
  return blocked.contains(*SocketAddress::parse(ip, 1234));
}

TEST(IpNetworkSet, AnEmptyOneBlocksNobody) {
  EXPECT_TRUE(list({}).empty());
  EXPECT_FALSE(blocks(list({}), "127.0.0.1"));
}

TEST(IpNetworkSet, BlocksExactAddressesAsIn2021) {
  const auto blocked = list({"10.0.0.1", "192.168.1.20", "::1"});
  EXPECT_TRUE(blocks(blocked, "10.0.0.1"));
  EXPECT_TRUE(blocks(blocked, "192.168.1.20"));
  EXPECT_TRUE(blocks(blocked, "::1"));
  EXPECT_FALSE(blocks(blocked, "10.0.0.0"));
  EXPECT_FALSE(blocks(blocked, "10.0.0.2"));
  EXPECT_FALSE(blocks(blocked, "::2"));
}

TEST(IpNetworkSet, BlocksRangesToTheirEdges) {
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

TEST(IpNetworkSet, HostBitsOfARangeDoNotMatter) {
  EXPECT_TRUE(blocks(list({"10.0.0.77/8"}), "10.255.0.1"));
}

TEST(IpNetworkSet, TheWholeOfOneFamilyLeavesTheOtherAlone) {
  EXPECT_TRUE(blocks(list({"0.0.0.0/0"}), "255.255.255.255"));
  EXPECT_FALSE(blocks(list({"0.0.0.0/0"}), "::1"));
  EXPECT_TRUE(blocks(list({"::/0"}), "fe80::1"));
  EXPECT_FALSE(blocks(list({"::/0"}), "10.0.0.1"));
  EXPECT_FALSE(blocks(list({"::/0"}), "::ffff:10.0.0.1"));
}

TEST(IpNetworkSet, AMappedAddressIsTheIpv4OneThatItMeans) {
  EXPECT_TRUE(blocks(list({"::ffff:10.0.0.1"}), "10.0.0.1"));
  const auto blocked = list({"10.0.0.0/8"});
  EXPECT_TRUE(blocks(blocked, "::ffff:10.1.2.3"));
  const auto mapped = list({"::ffff:10.0.0.0/104"});
  EXPECT_TRUE(blocks(mapped, "10.255.0.1"));
  EXPECT_FALSE(blocks(mapped, "11.0.0.0"));
  EXPECT_EQ(*IpNetwork::parse("::ffff:10.0.0.0/104"), *IpNetwork::parse("10.0.0.0/8"));
}

TEST(IpNetwork, IsShownInItsShortestForm) {
  const auto shown = [](const char* text) { return IpNetwork::parse(text)->to_string(); };
  EXPECT_EQ(shown("10.1.2.3/8"), "10.0.0.0/8");
  EXPECT_EQ(shown("10.1.2.3"), "10.1.2.3/32");
  EXPECT_EQ(shown("0.0.0.0/0"), "0.0.0.0/0");
  EXPECT_EQ(shown("2001:db8:1:2:3::/33"), "2001:db8::/33");
  EXPECT_EQ(shown("::ffff:1.2.3.4/120"), "1.2.3.0/24");
  EXPECT_EQ(shown("::ffff:1.2.3.4/95"), "::fffe:0:0/95");
}

// A single network and a set of one say the same, at every length and on both sides of its edges.
TEST(IpNetwork, ContainsWhatItsSetContains) {
  const auto check = [](const std::string& base, unsigned bits,
                        const std::vector<std::string>& addresses) {
    for (unsigned prefix = 0; prefix <= bits; ++prefix) {
      const std::string text = base + "/" + std::to_string(prefix);
      const auto network = *IpNetwork::parse(text);
      const auto set = list({text});
      for (const std::string& ip : addresses) {
        const auto address = *SocketAddress::parse(ip, 1);
        ASSERT_EQ(network.contains(address), set.contains(address)) << text << " " << ip;
      }
      EXPECT_TRUE(network.contains(network.address())) << text;
    }
  };
  const std::vector<std::string> addresses{
      "10.1.2.128",       "10.1.2.127", "10.1.2.255",     "0.0.0.0",
      "255.255.255.255",  "::",         "2001:db8::",     "2001:db8::1",
      "2001:db9::",       "ffff::ffff", "2001:db8:0:1::", "2001:db8:0:0:8000::",
      "::ffff:10.1.2.128"};
  check("10.1.2.128", 32, addresses);
  check("2001:db8::1", 128, addresses);
  check("::", 128, addresses);
}

TEST(IpNetworkSet, HundredThousandNetworksAreSearchedInNoTime) {
  std::mt19937 random(7);
  std::vector<IpNetwork> networks;
  for (int i = 0; i < 100'000; ++i) {
    const auto number = static_cast<std::uint32_t>(random());
    const std::array<std::uint8_t, 4> bytes{
        static_cast<std::uint8_t>(number >> 24), static_cast<std::uint8_t>(number >> 16),
        static_cast<std::uint8_t>(number >> 8), static_cast<std::uint8_t>(number)};
    const auto address = SocketAddress::from_ipv4(bytes, 0);
    networks.push_back(*IpNetwork::parse(address.ip() + (i % 2 == 0 ? "/32" : "/28")));
  }
  const IpNetworkSet set(networks);
  for (std::size_t i = 0; i < networks.size(); i += 7) {
    ASSERT_TRUE(set.contains(networks[i].address())) << networks[i].to_string();
  }
  std::size_t found = 0;
  for (int i = 0; i < 100'000; ++i) {
    const auto number = static_cast<std::uint32_t>(random());
    const std::array<std::uint8_t, 4> bytes{
        static_cast<std::uint8_t>(number >> 24), static_cast<std::uint8_t>(number >> 16),
        static_cast<std::uint8_t>(number >> 8), static_cast<std::uint8_t>(number)};
    found += set.contains(SocketAddress::from_ipv4(bytes, 0)) ? 1U : 0U;
  }
  EXPECT_LT(found, 100U);  // they cover 850000 of 2^32 addresses
}

TEST(IpNetworkSet, RangesThatOverlapAreMerged) {
  const auto blocked = list({"10.0.0.0/8", "10.1.0.0/16", "10.0.0.0/30", "9.0.0.0/8"});
  EXPECT_TRUE(blocks(blocked, "10.200.0.1"));
  EXPECT_TRUE(blocks(blocked, "9.1.1.1"));
  EXPECT_FALSE(blocks(blocked, "11.0.0.0"));
}

TEST(IpNetworkSet, AUnixPeerIsNeverBlocked) {
  EXPECT_FALSE(list({"0.0.0.0/0", "::/0"}).contains(SocketAddress()));
}

TEST(IpNetworkSet, RefusesWhatIsNoAddress) {
  for (const char* entry :
       {"", "/", "10.0.0.1/", "10.0.0.1/33", "10.0.0.1/-1", "10.0.0.1/8x", "10.0.0", "localhost",
        "10.0.0.1 ", "::1/129", "1.2.3.4/8/8", "10.0.0.1/99999999999999999999"}) {
    EXPECT_FALSE(IpNetwork::parse(entry)) << entry;
    const auto made = IpNetworkSet::create({"10.0.0.1", entry});
    ASSERT_FALSE(made) << entry;
    EXPECT_TRUE(made.error() == make_error_code(Errc::kBadAddress));
  }
  for (const char* entry : {"0.0.0.0/0", "10.0.0.1/32", "::1/128", "::/0", "fe80::1"}) {
    EXPECT_TRUE(IpNetwork::parse(entry)) << entry;
  }
}

TEST(IpNetworkSet, AgreesWithALinearSearch) {
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
