#include "websocket/unsent_meter.h"

#include <gtest/gtest.h>

namespace ssx::websocket {
namespace {

TEST(UnsentMeter, CountsWhenAsMuchWasSentAsMayWait) {
  UnsentMeter meter(100);
  int counted = 0;
  std::uint64_t unsent = 40;
  const auto count = [&] { return ++counted, unsent; };
  const auto turn = [](int n) { return TimePoint() + std::chrono::milliseconds(n); };
  meter.add(100);
  EXPECT_FALSE(meter.is_over(turn(1), count));
  EXPECT_EQ(counted, 0);
  meter.add(1);
  EXPECT_FALSE(meter.is_over(turn(1), count)) << "most of it has left";
  EXPECT_EQ(counted, 1);
  meter.add(60);
  EXPECT_FALSE(meter.is_over(turn(1), count)) << "at the limit";
  meter.add(1);
  EXPECT_TRUE(meter.is_over(turn(1), count)) << "once a turn";
  EXPECT_EQ(counted, 1);
  unsent = 101;
  EXPECT_TRUE(meter.is_over(turn(2), count));
  EXPECT_TRUE(meter.is_over(turn(2), count));
  EXPECT_EQ(counted, 2);
}

}  // namespace
}  // namespace ssx::websocket
