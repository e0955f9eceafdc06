#include "ssxrver/net/proxy_header.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "tests/support/feed_every_split.h"

namespace ssx::net {
namespace {

using Progress = ProxyHeader::Progress;
using test::Pieces;

constexpr std::string_view kSignature("\r\n\r\n\0\r\nQUIT\n", 12);

/// A header of version 2.
std::string binary(int version_and_command, int family_and_transport, std::string_view body) {
  std::string text(kSignature);
  text += static_cast<char>(version_and_command);
  text += static_cast<char>(family_and_transport);
  text += static_cast<char>(body.size() >> 8);
  text += static_cast<char>(body.size() & 0xff);
  return text.append(body);
}

std::string v4_body() { return {"\xc0\x00\x02\x01\x0a\x00\x00\x01\x30\x39\x00\x50", 12}; }

std::string v6_body() {
  return std::string("\x20\x01\x0d\xb8\0\0\0\0\0\0\0\0\0\0\0\x01", 16) +
         std::string("\x20\x01\x0d\xb8\0\0\0\0\0\0\0\0\0\0\0\x02", 16) + "\x30\x39" +
         std::string("\0\x50", 2);
}

/// Bytes are added until it no longer says kNeedMore.
ProxyHeader feed(const Pieces& pieces) {
  std::string seen;
  for (const std::string_view piece : pieces) {
    seen += piece;
    const auto header = parse_proxy_header(as_bytes(seen));
    if (header.progress != Progress::kNeedMore) return header;
  }
  return {};
}

ProxyHeader parse(std::string_view text) { return parse_proxy_header(as_bytes(text)); }

struct Good {
  std::string text;
  std::string client;  ///< "": the socket's own
  std::string server = "";
};

std::vector<Good> good_headers() {
  const std::string longest_v6 = "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff";
  return {
      {"PROXY TCP4 192.0.2.1 10.0.0.1 12345 80\r\n", "192.0.2.1:12345", "10.0.0.1:80"},
      {"PROXY TCP4 255.255.255.255 255.255.255.255 65535 65535\r\n", "255.255.255.255:65535",
       "255.255.255.255:65535"},
      {"PROXY TCP4 0.0.0.0 0.0.0.0 0 0\r\n", "0.0.0.0:0", "0.0.0.0:0"},
      {"PROXY TCP6 2001:db8::1 2001:db8::2 12345 443\r\n", "[2001:db8::1]:12345",
       "[2001:db8::2]:443"},
      {"PROXY TCP6 " + longest_v6 + " " + longest_v6 + " 65535 65535\r\n",
       "[" + longest_v6 + "]:65535", "[" + longest_v6 + "]:65535"},
      {"PROXY TCP6 ::ffff:192.0.2.1 ::1 1 2\r\n", "192.0.2.1:1", "[::1]:2"},
      {"PROXY UNKNOWN\r\n", ""},
      {"PROXY UNKNOWN " + longest_v6 + " " + longest_v6 + " 65535 65535\r\n", ""},
      {"PROXY UNKNOWN whatever  this\tis\r\n", ""},
      {binary(0x21, 0x11, v4_body()), "192.0.2.1:12345", "10.0.0.1:80"},
      {binary(0x21, 0x21, v6_body()), "[2001:db8::1]:12345", "[2001:db8::2]:80"},
      // With vectors behind, which nobody reads: an authority, and a type nobody knows.
      {binary(0x21, 0x11,
              v4_body() + std::string("\x02\x00\x03"
                                      "a.b"
                                      "\xee\x00\x00",
                                      9)),
       "192.0.2.1:12345", "10.0.0.1:80"},
      {binary(0x21, 0x21, v6_body() + std::string(500, '\xee')), "[2001:db8::1]:12345",
       "[2001:db8::2]:80"},
      {binary(0x20, 0x00, ""), ""},         // LOCAL: a health check
      {binary(0x20, 0x11, v4_body()), ""},  // LOCAL: addresses are to be ignored
      {binary(0x20, 0x11, "xx"), ""},       // and so are their lengths
      {binary(0x21, 0x00, ""), ""},         // AF_UNSPEC
      {binary(0x21, 0x00, "abc"), ""},
      {binary(0x21, 0x31, std::string(216, '/')), ""},  // AF_UNIX: the socket's address stays
      {binary(0x21, 0x12, v4_body()), ""},              // datagrams
  };
}

TEST(ProxyHeader, AreTakenHoweverTheyAreCut) {
  for (const Good& good : good_headers()) {
    test::feed_every_split(good.text + "GET / HTTP/1.1\r\n", [&good](const Pieces& pieces) {
      const ProxyHeader header = feed(pieces);
      ASSERT_EQ(header.progress, Progress::kDone);
      EXPECT_EQ(header.size, good.text.size());
      EXPECT_EQ(header.client ? header.client->to_string() : "", good.client);
      EXPECT_EQ(header.server ? header.server->to_string() : "", good.server);
    });
  }
}

// Nothing less than the whole is enough, and no part of it is an error.
TEST(ProxyHeader, EveryBeginningOfAGoodOneNeedsMore) {
  for (const Good& good : good_headers()) {
    for (std::size_t size = 0; size < good.text.size(); ++size) {
      ASSERT_EQ(parse(std::string_view(good.text).substr(0, size)).progress, Progress::kNeedMore)
          << size;
    }
  }
}

TEST(ProxyHeader, G07WhatBeginsLikeOneAndIsNoneFailsHoweverItIsCut) {
  const std::vector<std::string> bad{
      "PROXY \r\n",
      "PROXY TCP4\r\n",
      "PROXY TCP4 192.0.2.1 10.0.0.1 12345\r\n",
      "PROXY TCP4 192.0.2.1 10.0.0.1 12345 80 \r\n",
      "PROXY TCP4 192.0.2.1 10.0.0.1 12345 80 9\r\n",
      "PROXY TCP4  192.0.2.1 10.0.0.1 12345 80\r\n",
      "PROXY  TCP4 192.0.2.1 10.0.0.1 12345 80\r\n",
      "PROXY tcp4 192.0.2.1 10.0.0.1 12345 80\r\n",
      "PROXY TCP5 192.0.2.1 10.0.0.1 12345 80\r\n",
      "PROXY UDP4 192.0.2.1 10.0.0.1 12345 80\r\n",
      "PROXY TCP4 2001:db8::1 10.0.0.1 12345 80\r\n",
      "PROXY TCP6 192.0.2.1 10.0.0.1 12345 80\r\n",
      "PROXY TCP4 192.0.2.1 10.0.0.1 65536 80\r\n",
      "PROXY TCP4 192.0.2.1 10.0.0.1 -1 80\r\n",
      "PROXY TCP4 192.0.2.1 10.0.0.1 012 80\r\n",
      "PROXY TCP4 192.0.2.1 10.0.0.1 1 00\r\n",
      "PROXY TCP4 192.0.2.1 10.0.0.1 1 \r\n",
      "PROXY TCP4 192.0.2.256 10.0.0.1 1 2\r\n",
      "PROXY TCP4 192.0.2.01 10.0.0.1 1 2\r\n",
      "PROXY TCP4 localhost 10.0.0.1 1 2\r\n",
      "PROXY TCP6 fe80::1%1 ::1 1 2\r\n",
      "PROXY TCP4 192.0.2.1 10.0.0.1 1 2\n",
      "PROXY TCP4 192.0.2.1 10.0.0.1 1 2\rx",
      "PROXY UNKNOWNX\r\n",
      "PROXY UNKNOWN " + std::string(200, 'x'),
      std::string("PROXY ") + std::string(200, '\0'),
      binary(0x11, 0x11, v4_body()),                // version 1
      binary(0x31, 0x11, v4_body()),                // version 3
      binary(0x22, 0x11, v4_body()),                // no such command
      binary(0x21, 0x41, v4_body()),                // no such family
      binary(0x21, 0x13, v4_body()),                // no such transport
      binary(0x21, 0x11, v4_body().substr(0, 11)),  // too short for its family
      binary(0x21, 0x21, v6_body().substr(0, 35)),
      binary(0x21, 0x31, std::string(215, '/')),
      binary(0x21, 0x11, std::string(65535, '\0')),
  };
  for (const std::string& text : bad) {
    test::feed_every_split(text,
                           [&text](const Pieces& pieces) {
                             ASSERT_EQ(feed(pieces).progress, Progress::kFailed)
                                 << text.substr(0, 60);
                           },
                           {.every_cut_max = 300});
  }
}

TEST(ProxyHeader, SomethingElseIsToldByItsFirstBytes) {
  for (const std::string text :
       {"GET / HTTP/1.1\r\n", "POST / HTTP/1.1\r\n", "PROXYTCP4", "PRI * HTTP/2.0\r\n\r\nSM",
        "\r\nGET / HTTP/1.1\r\n", "\x16\x03\x01", "proxy TCP4 "}) {
    test::feed_every_split(
        text, [](const Pieces& pieces) { ASSERT_EQ(feed(pieces).progress, Progress::kAbsent); });
  }
}

TEST(ProxyHeader, TheLineOfVersionOneHasItsBound) {
  const auto line = [](std::size_t size) {
    std::string text = "PROXY UNKNOWN ";
    return text.append(size - text.size() - 2, 'x') + "\r\n";
  };
  EXPECT_EQ(parse(line(ProxyHeader::kV1Max - 1)).progress, Progress::kDone);
  EXPECT_EQ(parse(line(ProxyHeader::kV1Max)).progress, Progress::kDone);
  EXPECT_EQ(parse(line(ProxyHeader::kV1Max + 1)).progress, Progress::kFailed);
  const auto open = [&line](std::size_t size) { return parse(line(size + 10).substr(0, size)); };
  EXPECT_EQ(open(ProxyHeader::kV1Max - 1).progress, Progress::kNeedMore);
  EXPECT_EQ(open(ProxyHeader::kV1Max).progress, Progress::kFailed);
}

TEST(ProxyHeader, VersionTwoHasItsBound) {
  const auto sized = [](std::size_t size) {
    return binary(0x21, 0x11, v4_body() + std::string(size - 16 - 12, '\0'));
  };
  EXPECT_EQ(parse(sized(ProxyHeader::kV2Max - 1)).progress, Progress::kDone);
  EXPECT_EQ(parse(sized(ProxyHeader::kV2Max)).progress, Progress::kDone);
  EXPECT_EQ(parse(sized(ProxyHeader::kV2Max + 1)).progress, Progress::kFailed);
  // Refused from its length alone: nobody waits for the rest.
  EXPECT_EQ(parse(sized(ProxyHeader::kV2Max + 1).substr(0, 16)).progress, Progress::kFailed);
}

}  // namespace
}  // namespace ssx::net
