#include "ssxrver/net/rate.h"

#include <gtest/gtest.h>

#include "tests/support/manual_clock.h"

namespace ssx::net {
namespace {

using namespace std::chrono_literals;  // NOLINT(google-build-using-namespace): literals only

class TokenBucketTest : public testing::Test {
 protected:
  std::uint32_t taken(const TokenBucket& bucket, std::uint32_t tries) {
    std::uint32_t count = 0;
    for (std::uint32_t i = 0; i < tries; ++i) count += bucket.take(full_at, clock.now()) ? 1 : 0;
    return count;
  }
  test::ManualClock clock;
  TimePoint full_at{};
};

TEST_F(TokenBucketTest, GivesABurstThenTheRate) {
  for (const std::uint32_t burst : {1U, 2U, 7U}) {
    full_at = {};
    const TokenBucket bucket({.events = 10, .per = 1s, .burst = burst});
    EXPECT_EQ(taken(bucket, 100), burst);
    EXPECT_EQ(bucket.wait(full_at, clock.now()), 100ms);
    clock.advance(99ms);
    EXPECT_EQ(taken(bucket, 100), 0U);
    EXPECT_EQ(bucket.wait(full_at, clock.now()), 1ms);
    clock.advance(1ms);
    EXPECT_EQ(bucket.wait(full_at, clock.now()), 0ms);
    EXPECT_EQ(taken(bucket, 100), 1U);
    clock.advance(1h);
  }
}

TEST_F(TokenBucketTest, ZeroEventsAreNoLimit) {
  const TokenBucket bucket{Rate{}};
  EXPECT_FALSE(bucket.is_limited());
  EXPECT_EQ(taken(bucket, 1000), 1000U);
  EXPECT_EQ(bucket.wait(full_at, clock.now()), 0ms);
}

TEST_F(TokenBucketTest, GivesTheRateOverALongTime) {
  const TokenBucket bucket({.events = 60, .per = 60s, .burst = 5});
  std::uint32_t sum = 0;
  for (int i = 0; i < 3600; ++i) {
    sum += taken(bucket, 3);
    clock.advance(1s);
  }
  EXPECT_EQ(sum, 3600U + 4);
}

TEST_F(TokenBucketTest, SurvivesTheLargestNumbers) {
  constexpr std::uint32_t kMost = 0xffffffff;
  EXPECT_EQ(taken(TokenBucket({.events = 1, .per = 60s, .burst = kMost}), 1000), 1000U);
  full_at = {};
  EXPECT_EQ(taken(TokenBucket({.events = kMost, .per = 1s, .burst = kMost}), 1000), 1000U);
}

}  // namespace
}  // namespace ssx::net
