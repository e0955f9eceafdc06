#include "ssxrver/load/histogram.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

namespace ssx::load {
namespace {

TEST(Histogram, OfNothingSaysNothing) {
  const Histogram empty;
  EXPECT_EQ(empty.count(), 0U);
  EXPECT_EQ(empty.min(), Duration(0));
  EXPECT_EQ(empty.mean(), Duration(0));
  EXPECT_EQ(empty.percentile(0.5), Duration(0));
  EXPECT_EQ(empty.max(), Duration(0));
}

TEST(Histogram, IsExactForShortTimes) {
  Histogram times;
  for (int ns = 0; ns <= 100; ++ns) times.record(Duration(ns));
  EXPECT_EQ(times.percentile(0), Duration(0));
  EXPECT_EQ(times.percentile(0.5), Duration(50));
  EXPECT_EQ(times.percentile(1), Duration(100));
  EXPECT_EQ(times.mean(), Duration(50));
}

TEST(Histogram, IsWithinOnePercentOfEveryPercentile) {
  std::mt19937_64 random(1);
  std::lognormal_distribution<double> distribution(12, 3);
  Histogram times;
  std::vector<std::int64_t> all;
  for (int i = 0; i < 100'000; ++i) {
    const auto ns = static_cast<std::int64_t>(distribution(random));
    times.record(Duration(ns));
    all.push_back(ns);
  }
  std::ranges::sort(all);
  for (const double share : {0.0001, 0.1, 0.5, 0.9, 0.99, 0.999, 0.9999, 1.0}) {
    const auto rank = static_cast<std::size_t>(std::ceil(share * 100'000)) - 1;
    const auto exact = static_cast<double>(all[rank]);
    const auto told = static_cast<double>(times.percentile(share).count());
    EXPECT_GE(told, exact) << share;
    EXPECT_LE(told, exact * 1.01 + 1) << share;
  }
  EXPECT_EQ(times.max(), Duration(all.back()));
  EXPECT_EQ(times.min(), Duration(all.front()));
}

TEST(Histogram, TakesEveryTime) {
  Histogram times;
  const auto most = static_cast<std::int64_t>(Histogram::kMost);
  for (const std::int64_t ns : {most - 1, most, most + 1, std::int64_t{INT64_MAX}})
    times.record(Duration(ns));
  times.record(Duration(-5));
  EXPECT_EQ(times.count(), 5U);
  EXPECT_EQ(times.min(), Duration(0));
  EXPECT_EQ(times.max(), Duration(INT64_MAX));
  EXPECT_LE(times.percentile(0.5), Duration(most));
}

TEST(Histogram, EveryPowerOfTwoIsWithinItsBucket) {
  for (unsigned bits = 0; bits < 42; ++bits) {
    for (const int beside : {-1, 0, 1}) {
      const auto ns = (std::int64_t{1} << bits) + beside;
      Histogram times;
      times.record(Duration(ns));
      EXPECT_EQ(times.percentile(0.5), Duration(ns)) << "one alone is exact, by min and max";
      times.record(Duration(ns * 2));
      EXPECT_GE(times.percentile(0.5).count(), ns);
      EXPECT_LE(static_cast<double>(times.percentile(0.5).count()),
                static_cast<double>(ns) * 1.01 + 1);
    }
  }
}

TEST(Histogram, TakesTheSameTimeManyTimesAtOnce) {
  Histogram one_by_one;
  Histogram at_once;
  for (int i = 0; i < 1000; ++i) one_by_one.record(Duration(777'777));
  at_once.record(Duration(777'777), 1000);
  at_once.record(Duration(5));
  one_by_one.record(Duration(5));
  EXPECT_EQ(at_once.count(), 1001U);
  EXPECT_EQ(at_once.mean(), one_by_one.mean());
  for (const double share : {0.0005, 0.001, 0.5, 1.0}) {
    EXPECT_EQ(at_once.percentile(share), one_by_one.percentile(share)) << share;
  }
}

TEST(Histogram, AddsUp) {
  Histogram one;
  Histogram other;
  one.record(Duration(10));
  other.record(Duration(1000));
  other.record(Duration(20));
  one.add(other);
  one.add(Histogram());
  EXPECT_EQ(one.count(), 3U);
  EXPECT_EQ(one.min(), Duration(10));
  EXPECT_EQ(one.max(), Duration(1000));
  EXPECT_EQ(one.percentile(0.5), Duration(20));
}

}  // namespace
}  // namespace ssx::load
