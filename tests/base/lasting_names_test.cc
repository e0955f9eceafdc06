#include "ssxrver/base/lasting_names.h"

#include <gtest/gtest.h>

#include <string>

namespace ssx {
namespace {

TEST(LastingNames, StayWhereTheyAre) {
  LastingNames names;
  const char* const first = names.keep("GET /a");
  for (int i = 0; i < 1000; ++i) (void)names.keep("GET /" + std::to_string(i));
  EXPECT_STREQ(first, "GET /a");
  EXPECT_EQ(names.keep(std::string("GET ") + "/a"), first);
  EXPECT_NE(names.keep("GET /b"), first);
}

TEST(LastingNames, AreNotMoreThanThereIsRoomFor) {
  LastingNames names(2);
  (void)names.keep("a");
  EXPECT_STREQ(names.keep("b"), "b");
  EXPECT_EQ(names.keep("c"), LastingNames::kOther);
  EXPECT_STREQ(names.keep("a"), "a");
}

}  // namespace
}  // namespace ssx
