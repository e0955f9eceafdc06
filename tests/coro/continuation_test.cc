#include "ssxrver/coro/continuation.h"

#include <gtest/gtest.h>

#include "tests/coro/event.h"

namespace ssx {
namespace {

TEST(Continuation, RunsTheFunctionOfItsClass) {
  Noted noted;
  Continuation& continuation = noted;
  continuation.run();
  continuation.run();
  EXPECT_EQ(noted.times, 2);
}

TEST(Continuation, IsAsSmallAsItSays) {
  EXPECT_EQ(sizeof(Continuation), 8u);
  EXPECT_EQ(sizeof(CoroutineContinuation), 16u);
}

}  // namespace
}  // namespace ssx
