#include "ssxrver/metrics/counter.h"

#include <gtest/gtest.h>

namespace ssx::metrics {
namespace {

constexpr std::array<std::uint64_t, 2> kBounds = {10, 100};

TEST(Counter, StartsAtZeroAndAdds) {
  Counter counter;
  EXPECT_EQ(counter.value(), 0u);
  counter.add();
  counter.add(41);
  EXPECT_EQ(counter.value(), 42u);
}

TEST(Gauge, GoesUpAndDownAndBelowZero) {
  Gauge gauge;
  gauge.add(3);
  gauge.sub(5);
  EXPECT_EQ(gauge.value(), -2);
  gauge.set(7);
  EXPECT_EQ(gauge.value(), 7);
}

TEST(Histogram, PutsABoundIntoItsOwnBucketAndOneMoreIntoTheNext) {
  Histogram histogram(Buckets{kBounds, 1});
  for (const std::uint64_t value : {9u, 10u, 11u, 99u, 100u, 101u}) histogram.observe(value);
  EXPECT_EQ(histogram.count(0), 2u);
  EXPECT_EQ(histogram.count(1), 3u);
  EXPECT_EQ(histogram.count(2), 1u);
  EXPECT_EQ(histogram.sum(), 330u);
}

TEST(Histogram, TheReadyMadeBucketsRise) {
  EXPECT_EQ(Histogram(kLatencyBuckets).sum(), 0u);
  EXPECT_EQ(Histogram(kSizeBuckets).sum(), 0u);
}

TEST(HistogramDeathTest, RefusesMoreBucketsThanItHasRoomFor) {
  std::array<std::uint64_t, Histogram::kBucketsMax + 1> bounds{};
  for (std::size_t i = 0; i < bounds.size(); ++i) bounds[i] = i;
  const std::span<const std::uint64_t> all(bounds);
  EXPECT_EQ(Histogram(Buckets{all.first(Histogram::kBucketsMax), 1}).sum(), 0u);
  EXPECT_DEATH(Histogram(Buckets{all, 1}), "kBucketsMax");
}

TEST(HistogramDeathTest, RefusesBoundsThatDoNotRise) {
  static constexpr std::array<std::uint64_t, 2> kFlat = {5, 5};
  EXPECT_DEATH(Histogram(Buckets{kFlat, 1}), "upper");
}

}  // namespace
}  // namespace ssx::metrics
