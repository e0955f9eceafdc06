// An App whose start fails at the n-th system call says why, and leaves nothing behind.
#include <gtest/gtest.h>

#include <chrono>
#include <string>

#include "ssxrver/app/app.h"
#include "tests/support/fail_at_nth.h"
#include "tests/support/failing_threads.h"
#include "tests/support/open_files.h"
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

// D11: the main loop's, a task thread, a worker, the watchdog.
TEST(AppStart, FailsInOneSentenceWhicheverThreadCannotBeStarted) {
  constexpr int kThreads = 1 + 2 + 2 + 1;
  for (int nth = 1; nth <= kThreads + 1; ++nth) {
    const std::size_t open_before = test::open_files();
    {
      App app;
      app.get("/", [](const http::Request&) { return "hello"; }).listen(0).workers(2);
      app.options().tasks.threads = 2;
      app.options().server.loop.stall_kill = std::chrono::seconds(10);
      const test::FailingThreads refused(nth);
      const auto started = app.start();
      ASSERT_EQ(started.has_value(), nth > kThreads) << nth;
      ASSERT_EQ(refused.refused(), nth > kThreads ? 0 : 1) << "goes on after the " << nth;
      if (!started) {
        EXPECT_EQ(started.error().code(), ExitCode::kSystem);
        EXPECT_EQ(started.error().sentences().size(), 1u);
        EXPECT_NE(started.error().text().find("thread"), std::string::npos)
            << started.error().text();
      }
    }
    EXPECT_EQ(test::open_files(), open_before) << nth;
  }
}

}  // namespace
}  // namespace ssx
