#include "http/counters.h"

#include <gtest/gtest.h>

namespace ssx::http {
namespace {

TEST(HttpCounters, StartAtZero) {
  Counters counters;
  EXPECT_EQ(counters.requests.value(), 0u);
  for (const auto& answers : counters.answers) EXPECT_EQ(answers.value(), 0u);
  for (const auto& refused : counters.refused) EXPECT_EQ(refused.value(), 0u);
}

TEST(HttpCounters, HaveOneForEveryReason) {
  Counters counters;
  for (int code = 0; code < kErrcCount; ++code) counters.of(static_cast<Errc>(code)).add();
  for (const auto& refused : counters.refused) EXPECT_EQ(refused.value(), 1u);
}

// Two workers write their counters all the time: they must not share a cache line.
TEST(HttpCounters, ShareNoCacheLineWithAnything) {
  EXPECT_EQ(alignof(Counters), 64u);
  EXPECT_EQ(sizeof(Counters) % 64, 0u);
}

}  // namespace
}  // namespace ssx::http
