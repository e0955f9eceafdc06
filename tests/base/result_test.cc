#include "ssxrver/base/result.h"

#include <gtest/gtest.h>

#include <cerrno>
#include <type_traits>

namespace ssx {
namespace {

static_assert(std::is_same_v<FlatResult<int>, Result<int>>);
static_assert(std::is_same_v<FlatResult<void>, Result<void>>);
static_assert(std::is_same_v<FlatResult<Result<void>>, Result<void>>);

Result<int> half(int value) {
  if (value % 2 != 0) return fail(Errc::kInvalidArgument, "half");
  return value / 2;
}

Result<int> quarter(int value) {
  SSX_TRY(const int first, half(value));
  return half(first);
}

TEST(Result, TryHandsOnTheValue) { EXPECT_EQ(quarter(8).value(), 2); }

TEST(Result, TryReturnsTheFirstError) {
  const auto result = quarter(6);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().message(), "half: invalid argument");
}

TEST(Error, NamesTheErrno) {
  const auto error = Error::from_errno(EADDRINUSE, "bind");
  EXPECT_TRUE(error.is_errno(EADDRINUSE));
  EXPECT_EQ(error.message(), "bind: Address already in use");
}

}  // namespace
}  // namespace ssx
