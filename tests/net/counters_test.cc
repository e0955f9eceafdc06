#include "ssxrver/net/counters.h"

#include <gtest/gtest.h>

namespace ssx::net {
namespace {

TEST(Counters, BeginAtZeroOnALineOfTheirOwn) {
  const Counters counters;
  const AcceptCounters accept;
  EXPECT_EQ(counters.opened.value() + counters.closed.value() + counters.bytes_in.value(), 0U);
  EXPECT_EQ(counters.active.value(), 0);
  EXPECT_EQ(accept.accepted.value() + accept.rejected.value() + accept.wakeups.value(), 0U);
  EXPECT_EQ(alignof(Counters), 64U);
  EXPECT_EQ(alignof(AcceptCounters), 64U);
}

}  // namespace
}  // namespace ssx::net
