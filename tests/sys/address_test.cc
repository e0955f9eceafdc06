#include "ssxrver/sys/address.h"

#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/un.h>

#include <array>
#include <cstddef>
#include <cstring>
#include <string>

#include "tests/support/temp_dir.h"
#include "tests/sys/fails_with.h"

namespace ssx::sys {
namespace {

constexpr std::size_t kPathMax = sizeof(sockaddr_un::sun_path) - 1;

TEST(Address, Ipv4GoesThereAndBackInNetworkOrder) {
  const RawAddress raw = make_ipv4({{127, 0, 0, 1}, 0x1234});
  EXPECT_EQ(raw.size, sizeof(sockaddr_in));
  EXPECT_EQ(raw.get()->sa_family, AF_INET);
  std::array<std::uint8_t, 8> wire;  // family, then port and address as they are sent
  std::memcpy(wire.data(), raw.get(), wire.size());
  EXPECT_EQ((std::array<std::uint8_t, 6>{wire[2], wire[3], wire[4], wire[5], wire[6], wire[7]}),
            (std::array<std::uint8_t, 6>{0x12, 0x34, 127, 0, 0, 1}));
  const auto back = ipv4_of(raw);
  ASSERT_TRUE(back);
  EXPECT_EQ(back->port, 0x1234);
  EXPECT_EQ(back->bytes, (std::array<std::uint8_t, 4>{127, 0, 0, 1}));
}

TEST(Address, Ipv6GoesThereAndBackWithItsScope) {
  Ipv6 address{{}, 443, 7};
  ASSERT_TRUE(parse_ipv6("fe80::1", address.bytes.data()));
  const RawAddress raw = make_ipv6(address);
  EXPECT_EQ(raw.size, sizeof(sockaddr_in6));
  const auto back = ipv6_of(raw);
  ASSERT_TRUE(back);
  EXPECT_EQ(back->bytes, address.bytes);
  EXPECT_EQ(back->port, 443);
  EXPECT_EQ(back->scope, 7U);
}

TEST(Address, OneFamilyIsNotAnother) {
  const RawAddress v4 = make_ipv4({{1, 2, 3, 4}, 5});
  const RawAddress v6 = make_ipv6({});
  EXPECT_FALSE(ipv6_of(v4));
  EXPECT_FALSE(ipv4_of(v6));
  EXPECT_EQ(unix_path_of(v4), "");
  EXPECT_FALSE(ipv4_of(make_unix("a").value()));
}

TEST(Address, AnAddressThatIsTooShortIsNone) {
  RawAddress v4 = make_ipv4({{1, 2, 3, 4}, 5});
  --v4.size;
  EXPECT_FALSE(ipv4_of(v4));
  RawAddress v6 = make_ipv6({});
  --v6.size;
  EXPECT_FALSE(ipv6_of(v6));
}

TEST(Address, UnixPathsUpToTheirLimit) {
  for (const std::size_t size : {std::size_t{1}, kPathMax - 1, kPathMax}) {
    const std::string path(size, 'p');
    EXPECT_EQ(unix_path_of(make_unix(path).value()), path);
  }
  EXPECT_TRUE(
      fails_with(make_unix(std::string(kPathMax + 1, 'p')), ENAMETOOLONG, "unix socket path"));
  EXPECT_TRUE(fails_with(make_unix(""), EINVAL, "unix socket path"));
}

TEST(Address, AnAbstractNameHasExactlyItsBytes) {
  const RawAddress raw = make_unix("@name").value();
  EXPECT_EQ(raw.size, offsetof(sockaddr_un, sun_path) + 5);
  EXPECT_EQ(unix_path_of(raw), "@name");
}

TEST(Address, TheKernelGivesTheSamePathsBack) {
  const test::TempDir directory;
  for (const std::string& path : {directory.file("s"), "@ssxrver-test-" + directory.path()}) {
    const auto listener = socket(AF_UNIX, SOCK_STREAM).value();
    ASSERT_TRUE(bind(listener.get(), make_unix(path).value()));
    EXPECT_EQ(unix_path_of(local_address(listener.get()).value()), path);
  }
  const auto unnamed = socket_pair(SOCK_STREAM).value();
  EXPECT_EQ(unix_path_of(local_address(unnamed.first.get()).value()), "");
}

TEST(Address, ReadsLiteralsAndNothingElse) {
  std::array<std::uint8_t, 16> bytes{};
  EXPECT_TRUE(parse_ipv4("255.0.10.1", bytes.data()));
  EXPECT_EQ(format_ipv4(bytes.data()), "255.0.10.1");
  for (const char* text : {"", "1.2.3", "1.2.3.4.5", "256.0.0.1", "1.2.3.4 ", "localhost", "::1"}) {
    EXPECT_FALSE(parse_ipv4(text, bytes.data())) << text;
  }
  EXPECT_TRUE(parse_ipv6("2001:DB8::0:1", bytes.data()));
  EXPECT_EQ(format_ipv6(bytes.data()), "2001:db8::1");
  for (const char* text : {"", "1.2.3.4", "::1%lo", "[::1]", ":::", "1:2:3:4:5:6:7:8:9"}) {
    EXPECT_FALSE(parse_ipv6(text, bytes.data())) << text;
  }
  EXPECT_FALSE(parse_ipv6(std::string(INET6_ADDRSTRLEN, '1'), bytes.data()));
}

TEST(Address, AZeroByteEndsNothing) {
  using std::string_view_literals::operator""sv;
  std::array<std::uint8_t, 16> bytes{};
  EXPECT_FALSE(parse_ipv4("1.2.3.4\0x"sv, bytes.data()));
  EXPECT_FALSE(parse_ipv6("::1\0"sv, bytes.data()));
  EXPECT_EQ(interface_index("lo\0x"sv), std::nullopt);
  EXPECT_TRUE(fails_with(make_unix("/run/a\0b"sv), EINVAL, "unix socket path"));
  EXPECT_EQ(unix_path_of(make_unix("@a\0b"sv).value()), "@a\0b"sv);  // legal in an abstract name
}

TEST(Address, AnInterfaceIsANumberOrAName) {
  EXPECT_EQ(interface_index("12"), 12U);
  EXPECT_EQ(interface_index("4294967295"), 4294967295U);
  EXPECT_EQ(interface_index("4294967296"), std::nullopt);
  EXPECT_EQ(interface_index("lo"), 1U);  // the first that every kernel makes
  EXPECT_EQ(interface_index("no-such-device"), std::nullopt);
  EXPECT_EQ(interface_index(""), std::nullopt);
}

}  // namespace
}  // namespace ssx::sys
