#include "http/accept_encoding.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "http/request_parser.h"

namespace ssx::http {
namespace {

constexpr auto kIdentity = ContentCoding::kIdentity;
constexpr auto kGzip = ContentCoding::kGzip;
constexpr auto kBrotli = ContentCoding::kBrotli;
constexpr auto kZstd = ContentCoding::kZstd;

AcceptEncoding accept(const std::vector<std::string>& values) {
  std::string bytes = "GET / HTTP/1.1\r\nHost: a\r\n";
  for (const std::string& value : values) bytes += "Accept-Encoding: " + value + "\r\n";
  bytes += "\r\n";
  const ParserLimits limits;
  RequestParser parser(limits);
  Head head;
  EXPECT_EQ(parser.parse(bytes, head).progress, Progress::kDone);
  return AcceptEncoding::of(head.fields);
}
AcceptEncoding accept(const std::string& value) { return accept(std::vector{value}); }

TEST(AcceptEncoding, HasNamesForItsCodings) {
  EXPECT_EQ(to_string(kGzip), "gzip");
  EXPECT_EQ(to_string(kBrotli), "br");
  EXPECT_EQ(to_string(kZstd), "zstd");
  EXPECT_EQ(to_string(kIdentity), "identity");
}

TEST(AcceptEncoding, IsOnlyTheIdentityWhereNothingIsSaid) {
  for (const auto& values : {std::vector<std::string>{}, {""}, {" ,,"}, {"deflate"}}) {
    const AcceptEncoding said = accept(values);
    EXPECT_GT(said.weight(kIdentity), 0u);
    for (const auto coding : {kGzip, kBrotli, kZstd}) {
      EXPECT_EQ(said.weight(coding), 0u);
      EXPECT_FALSE(said.prefers(coding));
    }
  }
}

TEST(AcceptEncoding, TakesWhatIsNamed) {
  const AcceptEncoding said = accept("gzip, deflate, br");
  EXPECT_EQ(said.weight(kGzip), 1000u);
  EXPECT_EQ(said.weight(kBrotli), 1000u);
  EXPECT_EQ(said.weight(kZstd), 0u);
  EXPECT_TRUE(said.prefers(kGzip));
  EXPECT_FALSE(said.prefers(kZstd));
  EXPECT_TRUE(accept("GZip").prefers(kGzip));
  EXPECT_TRUE(accept("x-gzip").prefers(kGzip));
  EXPECT_TRUE(accept(std::vector<std::string>{"br", "gzip"}).prefers(kGzip));
  EXPECT_FALSE(accept("gzipx").prefers(kGzip));
  EXPECT_FALSE(accept("\"gzip\"").prefers(kGzip));
}

TEST(AcceptEncoding, ReadsWeights) {
  EXPECT_EQ(accept("gzip;q=0.5").weight(kGzip), 500u);
  EXPECT_EQ(accept("gzip ; Q=0.123").weight(kGzip), 123u);
  EXPECT_EQ(accept("gzip;q=1").weight(kGzip), 1000u);
  EXPECT_EQ(accept("gzip;q=1.").weight(kGzip), 1000u);
  EXPECT_EQ(accept("gzip;q=1.000").weight(kGzip), 1000u);
  EXPECT_EQ(accept("gzip;q=0").weight(kGzip), 0u);
  EXPECT_EQ(accept("gzip;q=0.0").weight(kGzip), 0u);
  EXPECT_EQ(accept("gzip;q=0.001").weight(kGzip), 1u);
  EXPECT_TRUE(accept("gzip;q=0.001").prefers(kGzip));
}

TEST(AcceptEncoding, CountsForNothingWhatIsNoWeight) {
  for (const char* bad :
       {"gzip;q=", "gzip;q=2", "gzip;q=1.001", "gzip;q=0.1234", "gzip;q=-1", "gzip;q=.5",
        "gzip;q=a", "gzip;q=0,5", "gzip;x=1", "gzip;", ";q=1", "gzip;q=0.a", "gzip;q=1;x=y"}) {
    EXPECT_EQ(accept(bad).weight(kGzip), 0u) << bad;
  }
  EXPECT_TRUE(accept("br;q=x, gzip").prefers(kGzip));
}

TEST(AcceptEncoding, LetsAStarStandForTheRest) {
  EXPECT_EQ(accept("*").weight(kZstd), 1000u);
  EXPECT_TRUE(accept("*").prefers(kBrotli));
  EXPECT_EQ(accept("gzip;q=0.5, *;q=0.2").weight(kGzip), 500u);
  EXPECT_EQ(accept("gzip;q=0.5, *;q=0.2").weight(kBrotli), 200u);
  EXPECT_EQ(accept("gzip;q=0.5, *;q=0.2").weight(kIdentity), 200u);
  EXPECT_EQ(accept("gzip;q=0, *").weight(kGzip), 0u);
  EXPECT_FALSE(accept("*;q=0").prefers(kGzip));
}

TEST(AcceptEncoding, MayForbidTheIdentity) {
  EXPECT_EQ(accept("identity;q=0").weight(kIdentity), 0u);
  EXPECT_EQ(accept("*;q=0").weight(kIdentity), 0u);
  EXPECT_GT(accept("*;q=0, identity;q=0.1").weight(kIdentity), 0u);
  EXPECT_EQ(accept("gzip, *;q=0").weight(kIdentity), 0u);
  EXPECT_TRUE(accept("gzip, identity;q=0").prefers(kGzip));
}

TEST(AcceptEncoding, MayPreferTheIdentity) {
  EXPECT_FALSE(accept("gzip;q=0.5, identity").prefers(kGzip));
  EXPECT_TRUE(accept("gzip, identity;q=0.5").prefers(kGzip));
  EXPECT_TRUE(accept("gzip, identity").prefers(kGzip));
}

TEST(AcceptEncoding, BelievesTheFirstMention) {
  EXPECT_EQ(accept("gzip;q=0.3, gzip").weight(kGzip), 300u);
  EXPECT_EQ(accept(std::vector<std::string>{"gzip;q=0", "gzip"}).weight(kGzip), 0u);
}

}  // namespace
}  // namespace ssx::http
