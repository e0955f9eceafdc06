#include "ssxrver/load/pace.h"

#include <gtest/gtest.h>

namespace ssx::load {
namespace {

TEST(Pace, WithoutARateEverythingIsDue) {
  Pace pace;
  EXPECT_FALSE(pace.is_constant());
  EXPECT_EQ(pace.take(TimePoint(Duration(7))), TimePoint(Duration(7)));
  EXPECT_EQ(pace.take(TimePoint(Duration(7))), TimePoint(Duration(7)));
}

TEST(Pace, GivesWhatIsDueInItsOrder) {
  const TimePoint start(Duration(1000));
  Pace pace(start, 10);
  EXPECT_TRUE(pace.is_constant());
  EXPECT_EQ(pace.take(start - Duration(1)), std::nullopt);
  EXPECT_EQ(pace.take(start), start);
  EXPECT_EQ(pace.take(start), std::nullopt);
  EXPECT_EQ(pace.next(), start + Duration(10));
}

TEST(Pace, WhatCameLateHasItsIntendedStart) {
  const TimePoint start(Duration(0));
  Pace pace(start, 10);
  const TimePoint late = start + Duration(25);
  EXPECT_EQ(pace.take(late), start);
  EXPECT_EQ(pace.take(late), start + Duration(10));
  EXPECT_EQ(pace.take(late), start + Duration(20));
  EXPECT_EQ(pace.take(late), std::nullopt);
}

TEST(Pace, GivesAllThatIsLeftInItsOrder) {
  for (const double period : {10.0, 1e9 / 3, 7.3}) {
    for (const int passed : {-1, 0, 9, 10, 11, 1'000}) {
      const TimePoint now = TimePoint() + Duration(static_cast<std::int64_t>(passed * period / 10));
      Pace one_by_one(TimePoint(), period);
      Pace at_once(TimePoint(), period);
      for (int i = 0; i < 3; ++i) EXPECT_EQ(one_by_one.take(now), at_once.take(now));
      at_once.take_all(now, [&](TimePoint since, std::uint64_t count) {
        EXPECT_EQ(count, 1U);
        EXPECT_EQ(one_by_one.take(now), since);
      });
      EXPECT_EQ(one_by_one.take(now), std::nullopt);
      EXPECT_EQ(at_once.take(now), std::nullopt);
    }
  }
}

TEST(Pace, GivesInGroupsWhatNobodyCouldCount) {
  const TimePoint now(std::chrono::hours(24));
  Pace pace(TimePoint(), 1);
  std::uint64_t groups = 0;
  std::uint64_t all = 0;
  pace.take_all(now, [&](TimePoint since, std::uint64_t count) {
    EXPECT_EQ(since, TimePoint(Duration(static_cast<std::int64_t>(all))));
    ++groups;
    all += count;
  });
  EXPECT_EQ(all, 86'400'000'000'001U);
  EXPECT_LE(groups, 10'000U);
  EXPECT_EQ(pace.take(now), std::nullopt);
}

TEST(Pace, WithoutARateNothingIsLeft) {
  Pace().take_all(TimePoint::max(), [](TimePoint, std::uint64_t) { FAIL(); });
}

TEST(Pace, DoesNotDriftWhereThePeriodIsNoWholeNumber) {
  Pace pace(TimePoint(), 1e9 / 3);
  for (int i = 0; i < 300; ++i) (void)pace.take(TimePoint::max());
  EXPECT_EQ(pace.next(), TimePoint(std::chrono::seconds(100)));
}

}  // namespace
}  // namespace ssx::load
