#include "ssxrver/net/socket_address.h"

#include <gtest/gtest.h>

#include <array>
#include <string>

#include "ssxrver/net/error.h"
#include "ssxrver/sys/address.h"

namespace ssx::net {
namespace {

using Family = SocketAddress::Family;

TEST(SocketAddress, ParsesLiteralsOfBothFamilies) {
  const auto v4 = SocketAddress::parse("127.0.0.1", 80);
  ASSERT_TRUE(v4);
  EXPECT_EQ(v4->family(), Family::kIpv4);
  EXPECT_EQ(v4->to_string(), "127.0.0.1:80");
  EXPECT_EQ(v4->bytes().size(), 4U);
  const auto v6 = SocketAddress::parse("2001:db8::1", 65535);
  ASSERT_TRUE(v6);
  EXPECT_EQ(v6->family(), Family::kIpv6);
  EXPECT_EQ(v6->to_string(), "[2001:db8::1]:65535");
  EXPECT_EQ(v6->ip(), "2001:db8::1");
  EXPECT_EQ(v6->bytes().size(), 16U);
}

TEST(SocketAddress, RefusesEverythingElse) {
  for (const char* text :
       {"", "localhost", "1.2.3", "1.2.3.4.5", "256.1.1.1", "1.2.3.4 ", " ::1", "::g", "1::2::3",
        "fe80::1%", "fe80::1%no-such-interface", "1.2.3.4%1", "[::1]", "0x7f.1"}) {
    const auto parsed = SocketAddress::parse(text, 1);
    ASSERT_FALSE(parsed) << text;
    EXPECT_TRUE(parsed.error() == make_error_code(Errc::kBadAddress));
  }
  EXPECT_FALSE(SocketAddress::parse(std::string_view("127.0.0.1\0", 10), 1));
}

TEST(SocketAddress, KeepsTheScopeOfALinkLocalAddress) {
  const auto scoped = SocketAddress::parse("fe80::1%1", 80);
  ASSERT_TRUE(scoped);
  EXPECT_EQ(scoped->to_string(), "[fe80::1%1]:80");
  EXPECT_EQ(SocketAddress::from_raw(scoped->to_raw()), *scoped);
}

TEST(SocketAddress, GoesToTheKernelAndComesBack) {
  for (const char* text : {"0.0.0.0", "255.255.255.255", "::", "::1", "2001:db8::ff"}) {
    const auto address = SocketAddress::parse(text, 4507);
    EXPECT_EQ(SocketAddress::from_raw(address->to_raw()), *address) << text;
  }
}

// G06: a peer of a dual-stack listener is the IPv4 peer that it is.
TEST(SocketAddress, AMappedAddressBecomesTheIpv4OneThatItMeans) {
  std::array<std::uint8_t, 16> mapped{};
  mapped[10] = mapped[11] = 0xff;
  mapped[12] = 10;
  mapped[15] = 7;
  const auto address = SocketAddress::from_raw(sys::make_ipv6({mapped, 99, 0}));
  EXPECT_EQ(address.family(), Family::kIpv4);
  EXPECT_EQ(address.to_string(), "10.0.0.7:99");
  EXPECT_EQ(address, *SocketAddress::parse("10.0.0.7", 99));
}

TEST(SocketAddress, AUnixSocketHasNoAddress) {
  const auto address = SocketAddress::from_raw(*sys::make_unix("/run/x.sock"));
  EXPECT_EQ(address.family(), Family::kUnix);
  EXPECT_EQ(address.to_string(), "unix");
  EXPECT_EQ(address.port(), 0);
  EXPECT_TRUE(address.bytes().empty());
  EXPECT_EQ(SocketAddress().to_string(), "none");
}

TEST(SocketAddress, WritesItsTextWithoutMemory) {
  char room[SocketAddress::kIpTextRoom];
  for (const char* text : {"0.0.0.0", "255.255.255.255", "::", "2001:db8::1", "fe80::1%1",
                           "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff"}) {
    EXPECT_EQ(SocketAddress::parse(text, 1)->write_ip(room), text);
  }
  EXPECT_EQ(SocketAddress().write_ip(room), "none");
}

TEST(SocketAddress, ComparesEverything) {
  EXPECT_EQ(*SocketAddress::parse("1.2.3.4", 5), *SocketAddress::parse("1.2.3.4", 5));
  EXPECT_FALSE(*SocketAddress::parse("1.2.3.4", 5) == *SocketAddress::parse("1.2.3.4", 6));
  EXPECT_FALSE(*SocketAddress::parse("1.2.3.4", 5) == *SocketAddress::parse("1.2.3.5", 5));
  EXPECT_FALSE(*SocketAddress::parse("::1", 5) == *SocketAddress::parse("::2", 5));
}

}  // namespace
}  // namespace ssx::net
