#include "ssxrver/net/trusted_proxies.h"

#include <gtest/gtest.h>

namespace ssx::net {
namespace {

SocketAddress address(std::string_view ip) { return *SocketAddress::parse(ip, 80); }
const SocketAddress kUnixPeer = SocketAddress::from_raw({});

TEST(TrustedProxies, NobodyIsTrustedByDefault) {
  const TrustedProxies nobody;
  EXPECT_TRUE(nobody.empty());
  EXPECT_FALSE(nobody.contains(address("127.0.0.1")));
  EXPECT_FALSE(nobody.contains(kUnixPeer));
  EXPECT_TRUE(TrustedProxies::create({})->empty());
}

TEST(TrustedProxies, AreNetworksAndUnixSockets) {
  const auto networks = *TrustedProxies::create({"10.0.0.0/8", "2001:db8::/32"});
  EXPECT_FALSE(networks.empty());
  EXPECT_TRUE(networks.contains(address("10.1.2.3")));
  EXPECT_TRUE(networks.contains(address("::ffff:10.1.2.3")));
  EXPECT_TRUE(networks.contains(address("2001:db8::1")));
  EXPECT_FALSE(networks.contains(address("11.0.0.1")));
  EXPECT_FALSE(networks.contains(kUnixPeer));
  const auto sockets = *TrustedProxies::create({"unix"});
  EXPECT_FALSE(sockets.empty());
  EXPECT_TRUE(sockets.contains(kUnixPeer));
  EXPECT_FALSE(sockets.contains(address("127.0.0.1")));
}

TEST(TrustedProxies, RefuseWhatIsNoAddress) {
  EXPECT_FALSE(TrustedProxies::create({"unix:"}));
  EXPECT_FALSE(TrustedProxies::create({"10.0.0.0/8", "proxy.example"}));
}

}  // namespace
}  // namespace ssx::net
