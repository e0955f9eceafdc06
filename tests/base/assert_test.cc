#include "ssxrver/base/assert.h"

#include <gtest/gtest.h>

#include <string>

namespace ssx {
namespace {

enum class Colour : int { kRed = 3 };
struct Opaque {};

TEST(Assert, SaysNothingWhenItHolds) {
  int evaluated = 0;
  SSX_ASSERT(++evaluated == 1, evaluated);
  EXPECT_EQ(evaluated, 1);
}

TEST(AssertDeathTest, PrintsTheExpressionThePlaceAndTheValues) {
  const int left = 3;
  const std::string name = "queue";
  EXPECT_DEATH(SSX_ASSERT(left == 4, left, name),
               "assert_test.cc:[0-9]+: assertion failed: left == 4  values: 3 queue");
}

TEST(AssertDeathTest, ShowsEveryKindOfValue) {
  EXPECT_DEATH(SSX_ASSERT(false, true, 'a' < 'b', Colour::kRed, "text", Opaque{}),
               "values: true true 3 text \\?");
}

TEST(AssertDeathTest, UnreachableIsAnAssertionToo) {
  EXPECT_DEATH(SSX_UNREACHABLE(), "unreachable");
}

TEST(AssertDeathTest, DcheckIsAnAssertInDebugBuildsAndCompilesAwayInOthers) {
  int evaluated = 0;
  const auto touch = [&evaluated] { return ++evaluated > 0; };
  SSX_DCHECK(touch());
#ifdef NDEBUG
  EXPECT_EQ(evaluated, 0);
  SSX_DCHECK(false);
#else
  EXPECT_EQ(evaluated, 1);
  EXPECT_DEATH(SSX_DCHECK(false, evaluated), "assertion failed: false  values: 1");
#endif
}

}  // namespace
}  // namespace ssx
