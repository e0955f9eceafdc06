// An App whose start fails at the n-th system call says why, and leaves nothing behind.
#include <gtest/gtest.h>

#include <string>

#include "ssxrver/app/app.h"
#include "tests/support/fail_at_nth.h"
#include "tests/support/raw_client.h"

namespace ssx {
namespace {

TEST(AppStart, FailsInOneSentenceWhicheverCallFails) {
  const auto tries = sim::fail_at_nth([](const sim::FaultPlan& plan) {
    App app;
    app.get("/", [](const http::Request&) { return "hello"; }).listen(0).workers(2);
    const auto bound = app.bind();
    if (!bound) {
      EXPECT_GT(plan.faults(), 0u);
      EXPECT_EQ(bound.error().sentences().size(), 1u);
      EXPECT_FALSE(bound.error().text().empty());
    }
  });
  EXPECT_GT(tries, 10u);
}

}  // namespace
}  // namespace ssx
