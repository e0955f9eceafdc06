#include "ssxrver/net/reply_limiter.h"

#include <gtest/gtest.h>

#include <string>

#include "tests/support/manual_clock.h"

namespace ssx::net {
namespace {

using namespace std::chrono_literals;  // NOLINT(google-build-using-namespace): literals only

constexpr std::uint64_t kSeed = 4711;
constexpr Rate kNoRate{.events = 0};

SocketAddress source(const std::string& ip, std::uint16_t port = 5000) {
  return SocketAddress::parse(ip, port).value();
}

class ReplyLimiterTest : public testing::Test {
 protected:
  [[nodiscard]] bool admit(ReplyLimiter& limiter, const SocketAddress& from,
                           std::size_t bytes = 100) {
    return limiter.admit(from, bytes, clock.now());
  }
  std::uint32_t admitted(ReplyLimiter& limiter, std::uint32_t tries) {
    std::uint32_t count = 0;
    for (std::uint32_t i = 0; i < tries; ++i) count += admit(limiter, peer) ? 1 : 0;
    return count;
  }

  test::ManualClock clock;
  const SocketAddress peer = source("192.0.2.1");
};

TEST_F(ReplyLimiterTest, AllowsExactlyTheRatioAndNoByteMore) {
  ReplyLimiter limiter({.ratio = 3, .rate = kNoRate}, kSeed);
  ASSERT_TRUE(admit(limiter, peer, 100));
  EXPECT_FALSE(limiter.spend(peer, 301));
  EXPECT_TRUE(limiter.spend(peer, 299));
  EXPECT_TRUE(limiter.spend(peer, 1));
  EXPECT_FALSE(limiter.spend(peer, 1));
}

TEST_F(ReplyLimiterTest, AddsUpWhatASourceHasSent) {
  ReplyLimiter limiter({.ratio = 2, .rate = kNoRate}, kSeed);
  for (int i = 0; i < 5; ++i) ASSERT_TRUE(admit(limiter, peer, 10));
  EXPECT_TRUE(limiter.spend(peer, 100));
  EXPECT_FALSE(limiter.spend(peer, 1));
}

TEST_F(ReplyLimiterTest, SendsNothingToASourceThatHasSentNothing) {
  ReplyLimiter limiter({.ratio = 3, .rate = kNoRate}, kSeed);
  EXPECT_FALSE(limiter.spend(peer, 1));
}

TEST_F(ReplyLimiterTest, HasNoLimitAtRatioZero) {
  ReplyLimiter limiter({.ratio = 0, .rate = kNoRate}, kSeed);
  EXPECT_TRUE(limiter.spend(peer, 1 << 20));
}

TEST_F(ReplyLimiterTest, KeepsNoMoreCreditThanItsBound) {
  ReplyLimiter limiter({.ratio = 100, .rate = kNoRate}, kSeed);
  for (int i = 0; i < 1000; ++i) ASSERT_TRUE(admit(limiter, peer, 65507));
  EXPECT_FALSE(limiter.spend(peer, ReplyLimiter::kCreditMax + 1));
  EXPECT_TRUE(limiter.spend(peer, ReplyLimiter::kCreditMax));
  EXPECT_FALSE(limiter.spend(peer, 1));
}

TEST_F(ReplyLimiterTest, TakesOtherPortsOfOneAddressForTheSameSource) {
  ReplyLimiter limiter({.ratio = 1, .rate = kNoRate}, kSeed);
  ASSERT_TRUE(admit(limiter, source("192.0.2.1", 1000), 50));
  EXPECT_TRUE(limiter.spend(source("192.0.2.1", 2000), 50));
  EXPECT_FALSE(limiter.spend(source("192.0.2.1", 3000), 1));
}

TEST_F(ReplyLimiterTest, TakesAnIpv6NetworkForOneSource) {
  ReplyLimiter limiter({.ratio = 1, .rate = kNoRate}, kSeed);
  ASSERT_TRUE(admit(limiter, source("2001:db8:1:2::1"), 50));
  EXPECT_FALSE(limiter.spend(source("2001:db8:1:3::1"), 1));
  EXPECT_TRUE(limiter.spend(source("2001:db8:1:2:ffff::9"), 50));
}

TEST_F(ReplyLimiterTest, TellsIpv4FromTheIpv6NetworkOfTheSameNumber) {
  ReplyLimiter limiter({.ratio = 1, .rate = kNoRate}, kSeed);
  ASSERT_TRUE(admit(limiter, source("0.0.0.1"), 50));
  EXPECT_FALSE(limiter.spend(source("0:0:0:1::"), 1));
}

TEST_F(ReplyLimiterTest, AdmitsABurstThenTheRate) {
  ReplyLimiter limiter({.rate = {.events = 10, .per = 1s, .burst = 5}}, kSeed);
  EXPECT_EQ(admitted(limiter, 100), 5U);
  clock.advance(99ms);
  EXPECT_EQ(admitted(limiter, 100), 0U);
  clock.advance(1ms);
  EXPECT_EQ(admitted(limiter, 100), 1U);
  clock.advance(10s);  // a quiet source has its burst again, not more
  EXPECT_EQ(admitted(limiter, 100), 5U);
}

TEST_F(ReplyLimiterTest, AdmitsTheDocumentedDefault) {
  ReplyLimiter limiter({.rate = UdpOptions().rate_per_source}, kSeed);
  EXPECT_EQ(admitted(limiter, 5000), 2000U);
  clock.advance(1s);
  EXPECT_EQ(admitted(limiter, 5000), 1000U);
}

TEST_F(ReplyLimiterTest, CountsPerMinuteToo) {
  ReplyLimiter limiter({.rate = {.events = 2, .per = 60s, .burst = 1}}, kSeed);
  EXPECT_EQ(admitted(limiter, 10), 1U);
  clock.advance(30s);
  EXPECT_EQ(admitted(limiter, 10), 1U);
}

TEST_F(ReplyLimiterTest, TreatsABurstOfZeroAsOne) {
  ReplyLimiter limiter({.rate = {.events = 10, .per = 1s, .burst = 0}}, kSeed);
  EXPECT_EQ(admitted(limiter, 10), 1U);
}

TEST_F(ReplyLimiterTest, SurvivesTheLargestRateAndBurst) {
  constexpr std::uint32_t kMost = 0xffffffff;
  ReplyLimiter slow({.rate = {.events = 1, .per = 60s, .burst = kMost}}, kSeed);
  ReplyLimiter fast({.rate = {.events = kMost, .per = 1s, .burst = kMost}}, kSeed);
  EXPECT_EQ(admitted(slow, 1000), 1000U);
  EXPECT_EQ(admitted(fast, 1000), 1000U);
}

TEST_F(ReplyLimiterTest, EarnsNothingAboveTheRate) {
  ReplyLimiter limiter({.ratio = 1, .rate = {.events = 1, .per = 1s, .burst = 1}}, kSeed);
  ASSERT_TRUE(admit(limiter, peer, 10));
  ASSERT_FALSE(admit(limiter, peer, 10));
  EXPECT_FALSE(limiter.spend(peer, 11));
}

TEST_F(ReplyLimiterTest, LimitsEachSourceForItself) {
  ReplyLimiter limiter({.rate = {.events = 1, .per = 1s, .burst = 1}}, kSeed);
  EXPECT_TRUE(admit(limiter, source("192.0.2.1")));
  EXPECT_TRUE(admit(limiter, source("192.0.2.2")));
  EXPECT_FALSE(admit(limiter, source("192.0.2.1")));
}

TEST_F(ReplyLimiterTest, ForgetsTheQuietestWhenTheTableIsFull) {
  ReplyLimiter limiter({.ratio = 1, .rate = kNoRate, .sources_max = 4}, kSeed);
  for (int i = 1; i <= 4; ++i) {
    ASSERT_TRUE(admit(limiter, source("192.0.2." + std::to_string(i)), 10));
    clock.advance(1s);
  }
  ASSERT_TRUE(admit(limiter, source("192.0.2.1"), 10));  // no longer the quietest
  clock.advance(1s);
  ASSERT_TRUE(admit(limiter, source("192.0.2.5"), 10));
  EXPECT_TRUE(limiter.spend(source("192.0.2.1"), 20));
  EXPECT_FALSE(limiter.spend(source("192.0.2.2"), 1));
  EXPECT_TRUE(limiter.spend(source("192.0.2.5"), 10));
}

TEST_F(ReplyLimiterTest, NeverPaysOutMoreThanTheRatioHoweverManySourcesPassThrough) {
  ReplyLimiter limiter({.ratio = 3, .rate = kNoRate, .sources_max = 64}, kSeed);
  std::size_t in = 0;
  std::size_t out = 0;
  for (int i = 0; i < 20'000; ++i) {
    const auto from = source("10.0." + std::to_string(i / 7 % 256) + "." + std::to_string(i % 256));
    if (admit(limiter, from, 10)) in += 10;
    if (limiter.spend(from, 30)) out += 30;
    if (limiter.spend(from, 1)) out += 1;
    clock.advance(1ms);
  }
  EXPECT_LE(out, 3 * in);
  EXPECT_EQ(in, 200'000U);
}

}  // namespace
}  // namespace ssx::net
