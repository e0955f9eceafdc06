#include "http/client/counters.h"

#include <gtest/gtest.h>

namespace ssx::http {
namespace {

TEST(ClientCounters, CountEveryReasonByItself) {
  ClientCounters counters;
  for (int i = 0; i < kErrcCount; ++i) counters.of(static_cast<Errc>(i)).add();
  for (const auto& counter : counters.failed) EXPECT_EQ(counter.value(), 1U);
}

}  // namespace
}  // namespace ssx::http
