#include "http/body.h"

#include <gtest/gtest.h>

namespace ssx::http {
namespace {

TEST(Body, IsEmptyAndInMemoryAtFirst) {
  const Body body;
  EXPECT_FALSE(body.is_spooled());
  EXPECT_EQ(body.size, 0u);
  EXPECT_TRUE(body.text.empty());
}

TEST(Body, IsInAFileWhenItHasADescriptor) {
  EXPECT_TRUE((Body{{}, 0, 5}.is_spooled()));  // 0 is a descriptor like any other
  EXPECT_FALSE((Body{"hello", -1, 5}.is_spooled()));
}

}  // namespace
}  // namespace ssx::http
