// EXPECT_TRUE(fails_with(result, EBADF, "read")): the errno, and the function that names itself.
#pragma once

#include <gtest/gtest.h>

#include <string_view>

#include "ssxrver/base/result.h"

namespace ssx::sys {

/// No process has that many descriptors: every function that takes one answers EBADF to it.
inline constexpr int kNotOpen = 1 << 20;

template <class T>
::testing::AssertionResult fails_with(const Result<T>& result, int error, std::string_view where) {
  if (result) return ::testing::AssertionFailure() << "it succeeded";
  if (result.error().is_errno(error) && result.error().where() == where) {
    return ::testing::AssertionSuccess();
  }
  return ::testing::AssertionFailure() << result.error().message();
}

}  // namespace ssx::sys
