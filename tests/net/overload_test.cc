#include "ssxrver/net/overload.h"

#include <gtest/gtest.h>

namespace ssx::net {
namespace {

TEST(Overload, BeginsWithNoneAndSaysWhatWasSet) {
  Overload overload;
  EXPECT_EQ(overload.level(), OverloadLevel::kNone);
  overload.set(OverloadLevel::kRefuse);
  EXPECT_EQ(overload.level(), OverloadLevel::kRefuse);
  EXPECT_GT(OverloadLevel::kStop, OverloadLevel::kRefuse);  // each does what those before it do
  EXPECT_GT(OverloadLevel::kRefuse, OverloadLevel::kSave);
}

TEST(Overload, EndsConnectionsWhenMemoryOrRoomIsShort) {
  Overload overload;
  EXPECT_FALSE(overload.ends_connections());
  overload.set_crowded(true);
  EXPECT_TRUE(overload.is_crowded());
  EXPECT_TRUE(overload.ends_connections());
  EXPECT_EQ(overload.level(), OverloadLevel::kNone);
  overload.set_crowded(false);
  EXPECT_FALSE(overload.ends_connections());
  overload.set(OverloadLevel::kSave);
  EXPECT_TRUE(overload.ends_connections());
}

}  // namespace
}  // namespace ssx::net
