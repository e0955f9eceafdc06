#include "ssxrver/base/coarse_time.h"

#include <gtest/gtest.h>

namespace ssx {
namespace {

using std::chrono::hours;
using std::chrono::microseconds;
using std::chrono::milliseconds;

constexpr Duration kTick{1 << 20};

TimePoint time_of(Duration since_boot) { return TimePoint(since_boot); }

TEST(CoarseTime, IsAtMostATickTooEarlyAndNeverTooLate) {
  for (Duration since : {Duration(0), Duration(kTick - Duration(1)), Duration(kTick),
                         Duration(microseconds(12'345'678)), Duration(hours(24 * 700))}) {
    const TimePoint time = time_of(since);
    for (Duration later :
         {Duration(0), Duration(1), Duration(milliseconds(999)), Duration(hours(24 * 51))}) {
      const TimePoint read = CoarseTime(time).at(time + later);
      EXPECT_LE(read, time);
      EXPECT_GT(read, time - kTick);
    }
  }
}

TEST(CoarseTime, IsFourBytes) { EXPECT_EQ(sizeof(CoarseTime), 4U); }

}  // namespace
}  // namespace ssx
