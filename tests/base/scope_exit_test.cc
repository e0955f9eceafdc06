#include "ssxrver/base/scope_exit.h"

#include <gtest/gtest.h>

namespace ssx {
namespace {

TEST(ScopeExit, RunsOnceWhenTheScopeEnds) {
  int runs = 0;
  {
    const ScopeExit exit([&runs] { ++runs; });
    EXPECT_EQ(runs, 0);
  }
  EXPECT_EQ(runs, 1);
}

TEST(ScopeExit, ReleasedItDoesNothing) {
  int runs = 0;
  {
    ScopeExit exit([&runs] { ++runs; });
    exit.release();
  }
  EXPECT_EQ(runs, 0);
}

}  // namespace
}  // namespace ssx
