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

}  // namespace
}  // namespace ssx::net
