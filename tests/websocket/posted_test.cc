#include "websocket/posted.h"

#include <gtest/gtest.h>

namespace ssx::websocket {
namespace {

TEST(Posted, TakesWhatFits) {
  constexpr std::uint64_t kMax = 1000 + Posted::kEach;
  for (const std::uint64_t bytes : {999, 1000}) {
    Posted posted(kMax);
    EXPECT_TRUE(posted.add(bytes));
    EXPECT_EQ(posted.waiting_bytes(), bytes + Posted::kEach);
    posted.take(bytes);
    EXPECT_EQ(posted.waiting_bytes(), 0U);
    EXPECT_EQ(posted.refused(), 0U);
  }
  Posted posted(kMax);
  EXPECT_FALSE(posted.add(1001));
  EXPECT_EQ(posted.waiting_bytes(), 0U);
  EXPECT_EQ(posted.refused(), 1U);
}

TEST(Posted, CountsWhatMustNotBeRefused) {
  Posted posted(Posted::kEach);
  EXPECT_TRUE(posted.add(0));
  EXPECT_EQ(posted.add_anyway(0), 2 * Posted::kEach);
  EXPECT_FALSE(posted.add(0));
  posted.take(0);
  EXPECT_FALSE(posted.add(0));
  posted.take(0);
  EXPECT_TRUE(posted.add(0));
}

}  // namespace
}  // namespace ssx::websocket
