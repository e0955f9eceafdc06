#include "ssxrver/base/spsc_ring.h"

#include <gtest/gtest.h>

#include <memory>

namespace ssx {
namespace {

TEST(SpscRing, TakesExactlyItsCapacity) {
  SpscRing<int> ring(4);
  for (int i = 0; i < 4; ++i) {
    int value = i;
    EXPECT_TRUE(ring.push(std::move(value))) << i;
  }
  EXPECT_FALSE(ring.push(4));
  EXPECT_EQ(ring.pop(), 0);
  EXPECT_TRUE(ring.push(4));
  EXPECT_FALSE(ring.push(5));
  for (int i = 1; i <= 4; ++i) EXPECT_EQ(ring.pop(), i);
  EXPECT_FALSE(ring.pop());
  EXPECT_TRUE(ring.empty());
}

TEST(SpscRing, RoundsItsCapacityUpToAPowerOfTwo) {
  SpscRing<int> ring(5);
  int taken = 0;
  while (ring.push(1)) ++taken;
  EXPECT_EQ(taken, 8);
  SpscRing<int> one(1);
  EXPECT_TRUE(one.push(1));
  EXPECT_FALSE(one.push(2));
}

TEST(SpscRing, AValueThatDoesNotFitIsUntouched) {
  SpscRing<std::unique_ptr<int>> ring(1);
  ASSERT_TRUE(ring.push(std::make_unique<int>(1)));
  auto second = std::make_unique<int>(2);
  EXPECT_FALSE(ring.push(std::move(second)));
  ASSERT_NE(second, nullptr);
  EXPECT_EQ(**ring.pop(), 1);
  EXPECT_TRUE(ring.push(std::move(second)));
}

TEST(SpscRing, DestroysWhatIsLeft) {
  const auto watched = std::make_shared<int>(1);
  {
    SpscRing<std::shared_ptr<int>> ring(2);
    auto copy = watched;
    ASSERT_TRUE(ring.push(std::move(copy)));
    copy = watched;
    ASSERT_TRUE(ring.push(std::move(copy)));
    EXPECT_TRUE(ring.pop());
    EXPECT_EQ(watched.use_count(), 2);  // a popped slot holds nothing
  }
  EXPECT_EQ(watched.use_count(), 1);
}

}  // namespace
}  // namespace ssx
