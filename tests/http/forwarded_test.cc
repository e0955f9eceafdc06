#include "http/forwarded.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "http/head.h"
#include "http/request_parser.h"

namespace ssx::http {
namespace {

using net::SocketAddress;

/// A parsed request with these lines.
class Lines {
 public:
  explicit Lines(const std::string& lines)
      : text_("GET / HTTP/1.1\r\nHost: a\r\n" + lines + "\r\n") {
    const ParserLimits limits;
    RequestParser parser(limits);
    EXPECT_EQ(parser.parse(text_, head_).progress, Progress::kDone) << lines;
  }
  [[nodiscard]] const Fields& fields() const { return head_.fields; }

 private:
  std::string text_;
  Head head_;
};

ProxyTrust trust(RealIpHeader header = RealIpHeader::kXForwardedFor,
                 const std::vector<std::string>& proxies = {"10.0.0.0/8", "2001:db8::/32"}) {
  return {*net::TrustedProxies::create(proxies), header};
}

const SocketAddress kProxy = *SocketAddress::parse("10.0.0.1", 4000);
const SocketAddress kStranger = *SocketAddress::parse("198.51.100.7", 4000);

std::string client(const std::string& lines, const ProxyTrust& trusted,
                   const SocketAddress& peer = kProxy) {
  const Lines parsed(lines);
  return client_address(peer, parsed.fields(), trusted).to_string();
}
std::string xff(const std::string& value) {
  return client("X-Forwarded-For: " + value + "\r\n", trust());
}
std::string forwarded(const std::string& value) {
  return client("Forwarded: " + value + "\r\n", trust(RealIpHeader::kForwarded));
}

const std::string kProxyItself = "10.0.0.1:4000";

TEST(Forwarded, AStrangerMaySayWhatHeLikes) {
  for (const RealIpHeader header :
       {RealIpHeader::kXForwardedFor, RealIpHeader::kForwarded, RealIpHeader::kXRealIp}) {
    EXPECT_EQ(client("X-Forwarded-For: 192.0.2.1\r\nForwarded: for=192.0.2.1\r\n"
                     "X-Real-IP: 192.0.2.1\r\n",
                     trust(header), kStranger),
              "198.51.100.7:4000");
  }
}

TEST(Forwarded, ATrustedProxyNamesItsClient) {
  EXPECT_EQ(xff("192.0.2.1"), "192.0.2.1:0");
  EXPECT_EQ(xff("192.0.2.1:81"), "192.0.2.1:81");
  EXPECT_EQ(xff("2001:db9::1"), "[2001:db9::1]:0");
  EXPECT_EQ(xff("[2001:db9::1]"), "[2001:db9::1]:0");
  EXPECT_EQ(xff("[2001:db9::1]:81"), "[2001:db9::1]:81");
  EXPECT_EQ(xff("::ffff:192.0.2.1"), "192.0.2.1:0");  // G06
  EXPECT_EQ(client("", trust()), kProxyItself);
}

TEST(Forwarded, OnlyTheFieldThatWasChosenCounts) {
  const std::string all =
      "X-Forwarded-For: 192.0.2.1\r\nForwarded: for=192.0.2.2\r\nX-Real-IP: 192.0.2.3\r\n";
  EXPECT_EQ(client(all, trust(RealIpHeader::kXForwardedFor)), "192.0.2.1:0");
  EXPECT_EQ(client(all, trust(RealIpHeader::kForwarded)), "192.0.2.2:0");
  EXPECT_EQ(client(all, trust(RealIpHeader::kXRealIp)), "192.0.2.3:0");
  EXPECT_EQ(client(all, trust(RealIpHeader::kNone)), kProxyItself);
}

// What stands left of the first that is no proxy is hearsay.
TEST(Forwarded, TheFirstFromTheRightThatIsNoProxyIsTheClient) {
  EXPECT_EQ(xff("6.6.6.6, 192.0.2.1"), "192.0.2.1:0");
  EXPECT_EQ(xff("6.6.6.6, 192.0.2.1, 10.0.0.9"), "192.0.2.1:0");
  EXPECT_EQ(xff("6.6.6.6,192.0.2.1,\t10.0.0.9 , 2001:db8::5"), "192.0.2.1:0");
  EXPECT_EQ(xff("10.0.0.3, 10.0.0.2"), "10.0.0.3:0");  // all are proxies: the farthest
}

TEST(Forwarded, SeveralLinesAreOneList) {
  EXPECT_EQ(client("X-Forwarded-For: 6.6.6.6\r\nX-Forwarded-For: 192.0.2.1, 10.0.0.2\r\n"
                   "X-Forwarded-For: 10.0.0.3\r\n",
                   trust()),
            "192.0.2.1:0");
  EXPECT_EQ(client("X-Real-IP: 6.6.6.6\r\nX-Real-IP: 192.0.2.1\r\n", trust(RealIpHeader::kXRealIp)),
            "192.0.2.1:0");
}

TEST(Forwarded, EmptyMembersDoNotCount) {
  EXPECT_EQ(xff("192.0.2.1, ,,10.0.0.2,"), "192.0.2.1:0");
  EXPECT_EQ(xff(","), kProxyItself);
}

TEST(Forwarded, WhatSaysNothingEndsTheWalk) {
  for (const char* nothing :
       {"unknown", "_hidden", "localhost", "192.0.2.1.", "192.0.2.1:", "192.0.2.1:x",
        "192.0.2.1:65536", "192.0.2.1:000080", "[2001:db9::1", "[2001:db9::1]x", "[2001:db9::1]:",
        "[192.0.2.1]", "fe80::1%1", "[fe80::1%1]", "\"192.0.2.1\"", "192.0.2.1 192.0.2.2", "/32"}) {
    EXPECT_EQ(xff(nothing), kProxyItself) << nothing;
    EXPECT_EQ(xff(std::string("192.0.2.1, ") + nothing), kProxyItself) << nothing;
    EXPECT_EQ(xff(std::string("192.0.2.1, ") + nothing + ", 10.0.0.2"), "10.0.0.2:0") << nothing;
    EXPECT_EQ(xff(std::string(nothing) + ", 192.0.2.1"), "192.0.2.1:0") << nothing;
  }
}

TEST(Forwarded, TheWalkHasItsBound) {
  std::string list = "192.0.2.1";
  for (std::size_t i = 1; i < kHopsMax; ++i) list += ", 10.1.0." + std::to_string(i);
  EXPECT_EQ(xff(list), "192.0.2.1:0");
  EXPECT_EQ(xff("6.6.6.6, " + list), "192.0.2.1:0");
  EXPECT_EQ(xff(list + ", 10.0.0.9"), "10.1.0.1:0");  // one step more than it takes
  EXPECT_EQ(
      client("X-Forwarded-For: 192.0.2.1\r\nX-Forwarded-For: " + list.substr(11) + ", 10.0.0.9\r\n",
             trust()),
      "10.1.0.1:0");
}

// RFC 7239 4 and 6.
TEST(Forwarded, ReadsTheElementsOfRfc7239) {
  EXPECT_EQ(forwarded("for=192.0.2.1"), "192.0.2.1:0");
  EXPECT_EQ(forwarded("For=192.0.2.1;proto=http;by=203.0.113.43"), "192.0.2.1:0");
  EXPECT_EQ(forwarded("proto=http ; FOR = \"192.0.2.1:81\""), "192.0.2.1:81");
  EXPECT_EQ(forwarded("for=\"[2001:db9:cafe::17]:4711\""), "[2001:db9:cafe::17]:4711");
  EXPECT_EQ(forwarded("for=\"[2001:db9::17]:_port\""), "[2001:db9::17]:0");
  EXPECT_EQ(forwarded("for=\"192.0.2.9:_a/b\""), forwarded("for=unknown"));
  EXPECT_EQ(forwarded("for=\"192.0.2.9:_\""), forwarded("for=unknown"));
  EXPECT_EQ(forwarded("for=6.6.6.6, for=192.0.2.1;x=\"a,b;c\\\"d\", for=10.0.0.2"), "192.0.2.1:0");
  EXPECT_EQ(forwarded("for=192.0.2.1;"), "192.0.2.1:0");
}

TEST(Forwarded, AnElementThatSaysNothingEndsTheWalk) {
  for (const char* nothing :
       {"for=unknown", "for=_hidden", "for=\"_hidden\"", "proto=http", "by=192.0.2.1", "192.0.2.1",
        "for=", "for=\"\"", "for=\"192.0.2.1", "for=192.0.2.1\"", "for=\"1\\92.0.2.1\"",
        "for=192.0.2.1;for=192.0.2.2", "for=\"192.0.2.1\"x", "for=192.0.2.1;nonsense"}) {
    EXPECT_EQ(forwarded(nothing), kProxyItself) << nothing;
  }
  EXPECT_EQ(forwarded("for=192.0.2.1, for=unknown, for=10.0.0.2"), "10.0.0.2:0");
  // A quote that does not end may hide anything.
  EXPECT_EQ(forwarded("for=192.0.2.1, for=10.0.0.3;x=\", for=10.0.0.2"), kProxyItself);
}

TEST(Forwarded, AUnixSocketMayBeAProxy) {
  const auto unix_peer = SocketAddress::from_raw({});
  const std::string line = "X-Forwarded-For: 192.0.2.1\r\n";
  EXPECT_EQ(client(line, trust(RealIpHeader::kXForwardedFor, {"unix"}), unix_peer), "192.0.2.1:0");
  EXPECT_EQ(client(line, trust(), unix_peer), "unix");
}

TEST(Forwarded, TheSchemeIsWhatATrustedProxySays) {
  const auto proto = [](const std::string& lines, RealIpHeader header, const SocketAddress& peer) {
    const Lines parsed(lines);
    return std::string(forwarded_proto(peer, parsed.fields(), trust(header)).value_or("nothing"));
  };
  constexpr auto kXff = RealIpHeader::kXForwardedFor;
  EXPECT_EQ(proto("X-Forwarded-Proto: https\r\n", kXff, kProxy), "https");
  EXPECT_EQ(proto("X-Forwarded-Proto: HTTP\r\n", kXff, kProxy), "http");
  EXPECT_EQ(proto("X-Forwarded-Proto: http, https\r\n", kXff, kProxy), "https");
  EXPECT_EQ(proto("X-Forwarded-Proto: gopher\r\n", kXff, kProxy), "nothing");
  EXPECT_EQ(proto("X-Forwarded-Proto: https\r\n", kXff, kStranger), "nothing");
  EXPECT_EQ(proto("X-Forwarded-Proto: https\r\n", RealIpHeader::kNone, kProxy), "nothing");
  EXPECT_EQ(proto("X-Forwarded-Proto: https\r\n", RealIpHeader::kForwarded, kProxy), "nothing");
  EXPECT_EQ(proto("Forwarded: for=192.0.2.1;proto=https, for=10.0.0.2;proto=http\r\n",
                  RealIpHeader::kForwarded, kProxy),
            "https");
  EXPECT_EQ(proto("Forwarded: for=6.6.6.6;proto=http, for=192.0.2.1;proto=https\r\n",
                  RealIpHeader::kForwarded, kProxy),
            "https");
}

TEST(Forwarded, TheHostIsWhatATrustedProxySays) {
  const auto host = [](const std::string& lines, RealIpHeader header, const SocketAddress& peer) {
    const Lines parsed(lines);
    return std::string(forwarded_host(peer, parsed.fields(), trust(header)).value_or("nothing"));
  };
  constexpr auto kXff = RealIpHeader::kXForwardedFor;
  EXPECT_EQ(host("X-Forwarded-Host: example.org:8080\r\n", kXff, kProxy), "example.org:8080");
  EXPECT_EQ(host("X-Forwarded-Host: a, [2001:db8::1]:1\r\n", kXff, kProxy), "[2001:db8::1]:1");
  EXPECT_EQ(host("X-Forwarded-Host: example.org\r\n", kXff, kStranger), "nothing");
  for (const char* bad : {"a b", "a/b", "a@b", "<a>", "a\tb", "a\\b", "\xc3\xa4"}) {
    EXPECT_EQ(host("X-Forwarded-Host: " + std::string(bad) + "\r\n", kXff, kProxy), "nothing");
  }
  EXPECT_EQ(host("Forwarded: for=192.0.2.1;host=\"example.org:81\"\r\n", RealIpHeader::kForwarded,
                 kProxy),
            "example.org:81");
}

}  // namespace
}  // namespace ssx::http
