#include "ssxrver/net/address_key.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace ssx::net {
namespace {

AddressKey key(const std::string& ip, std::uint16_t port = 1) {
  return AddressKey::of(*SocketAddress::parse(ip, port));
}

TEST(AddressKey, IsTheIpv4AddressWhateverThePort) {
  EXPECT_EQ(key("192.0.2.1", 1), key("192.0.2.1", 2));
  EXPECT_FALSE(key("192.0.2.1") == key("192.0.2.2"));
  EXPECT_TRUE(key("192.0.2.1").is_ip());
}

TEST(AddressKey, IsTheIpv6NetworkOf64Bits) {
  EXPECT_EQ(key("2001:db8:1:2::1"), key("2001:db8:1:2:ffff:ffff:ffff:ffff"));
  EXPECT_FALSE(key("2001:db8:1:2::1") == key("2001:db8:1:3::1"));
  EXPECT_EQ(key("fe80::1%1"), key("fe80::2%1"));
}

// G06: or all of IPv4 would be one network, ::/64.
TEST(AddressKey, TakesAMappedAddressForTheIpv4One) {
  EXPECT_EQ(key("::ffff:192.0.2.1"), key("192.0.2.1"));
  EXPECT_FALSE(key("::ffff:192.0.2.1") == key("::ffff:192.0.2.2"));
}

TEST(AddressKey, TellsFamiliesApart) {
  EXPECT_FALSE(key("0.0.0.1") == key("0:0:0:1::"));
  EXPECT_NE(key("0.0.0.1").hash(7), key("0:0:0:1::").hash(7));
}

TEST(AddressKey, AUnixSocketIsNoAddress) {
  EXPECT_FALSE(AddressKey::of(SocketAddress::from_raw({})).is_ip());
  EXPECT_FALSE(AddressKey::of(SocketAddress()).is_ip());
}

TEST(AddressKey, HashesDependOnTheSeed) {
  std::set<std::uint64_t> hashes;
  for (std::uint64_t seed = 0; seed < 100; ++seed) hashes.insert(key("192.0.2.1").hash(seed));
  EXPECT_EQ(hashes.size(), 100U);
}

}  // namespace
}  // namespace ssx::net
