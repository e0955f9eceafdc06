#include "websocket/client/backoff.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <random>
#include <vector>

namespace ssx::websocket {
namespace {

using namespace std::chrono_literals;  // NOLINT(google-build-using-namespace): literals only

TEST(Backoff, DoublesUpToTheMost) {
  const ReconnectOptions options{.first_delay = 500ms, .delay_max = 30s, .jitter_percent = 0};
  const std::vector<milliseconds> delays = {500ms, 1s, 2s, 4s, 8s, 16s, 30s, 30s};
  for (std::uint32_t i = 0; i < delays.size(); ++i)
    EXPECT_EQ(backoff_delay(options, i, 12345), delays[i]) << i;
  EXPECT_EQ(backoff_delay(options, UINT32_MAX, 0), 30s);
}

TEST(Backoff, LeavesItAllToChanceUnlessToldOtherwise) {
  const ReconnectOptions options{.first_delay = 500ms, .delay_max = 30s};
  EXPECT_EQ(backoff_delay(options, 0, 0), 0ms);
  EXPECT_EQ(backoff_delay(options, 0, UINT32_MAX), 500ms);
  EXPECT_EQ(backoff_delay(options, 9, 0), 0ms);
  EXPECT_EQ(backoff_delay(options, 9, UINT32_MAX), 30s);
  EXPECT_EQ(backoff_delay(options, 9, UINT32_MAX / 2), 15s);
  const ReconnectOptions half{.first_delay = 500ms, .jitter_percent = 50};
  EXPECT_EQ(backoff_delay(half, 0, 0), 250ms);
  EXPECT_EQ(backoff_delay(half, 0, UINT32_MAX), 500ms);
  const ReconnectOptions more{.first_delay = 500ms, .jitter_percent = 900};
  EXPECT_EQ(backoff_delay(more, 0, 0), 0ms);
  EXPECT_EQ(backoff_delay(more, 0, UINT32_MAX), 500ms);
}

TEST(Backoff, SpreadsEvenly) {
  const ReconnectOptions options{.first_delay = 999ms};
  std::mt19937 random(1);
  std::vector<int> tenths(10);
  for (int i = 0; i < 10'000; ++i)
    ++tenths[static_cast<std::size_t>(
        backoff_delay(options, 0, static_cast<std::uint32_t>(random())).count() / 100)];
  for (const int count : tenths) EXPECT_NEAR(count, 1000, 150);
}

TEST(Backoff, TakesEveryOption) {
  EXPECT_EQ(backoff_delay({.first_delay = 0ms}, 5, UINT32_MAX), 32ms);  // nothing doubles nothing
  EXPECT_EQ(backoff_delay({.first_delay = -5ms, .delay_max = -1ms}, 5, UINT32_MAX), 0ms);
  EXPECT_EQ(backoff_delay({.first_delay = 60s, .delay_max = 1s}, 0, UINT32_MAX), 1s);
  const auto longest = milliseconds::max();
  EXPECT_LE(backoff_delay({.first_delay = longest, .delay_max = longest}, 9, UINT32_MAX), longest);
}

}  // namespace
}  // namespace ssx::websocket
