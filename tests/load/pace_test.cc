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

TEST(Pace, DoesNotDriftWhereThePeriodIsNoWholeNumber) {
  Pace pace(TimePoint(), 1e9 / 3);
  for (int i = 0; i < 300; ++i) (void)pace.take(TimePoint::max());
  EXPECT_EQ(pace.next(), TimePoint(std::chrono::seconds(100)));
}

}  // namespace
}  // namespace ssx::load
