#include "tests/support/fail_at_nth.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "ssxrver/sys/event.h"
#include "ssxrver/sys/file.h"

namespace ssx::sim {
namespace {

TEST(FailAtNth, VisitsEveryCallOfTheScenarioOnce) {
  std::vector<std::string> failed;
  const auto visited = fail_at_nth([&failed](const FaultPlan& plan) {
    {
      const auto epoll = sys::epoll_create();
      const auto event = epoll ? sys::eventfd_create() : fail_errno(EBADF, "no epoll");
      const bool added = event && sys::epoll_add(epoll->get(), event->get(), EPOLLIN, nullptr);
      EXPECT_EQ(added, plan.faults() == 0);  // the two closes are still to come
    }
    failed.emplace_back(plan.latest_fault());
  });
  EXPECT_EQ(visited, 5U);
  const std::vector<std::string> expected{"epoll_create", "eventfd_create", "epoll_add",
                                          "close",        "close",          ""};
  EXPECT_EQ(failed, expected);
}

TEST(FailAtNth, TakesTheErrorThatItIsGiven) {
  fail_at_nth(
      [](const FaultPlan& plan) {
        const auto text = sys::getcwd();
        EXPECT_EQ(text.has_value(), plan.faults() == 0);
        if (!text) {
          EXPECT_TRUE(text.error().is_errno(EXDEV));
        }
      },
      EXDEV);
}

TEST(FailAtNth, RunsAScenarioWithoutCallsOnce) {
  int runs = 0;
  EXPECT_EQ(fail_at_nth([&runs] { ++runs; }), 0U);
  EXPECT_EQ(runs, 1);
}

TEST(FailAtNthDeathTest, SeesADescriptorThatLeaksOnAnErrorPath) {
  EXPECT_EXIT(
      {
        fail_at_nth([] {
          auto first = sys::eventfd_create();
          const auto second = sys::eventfd_create();
          if (first && !second) static_cast<void>(first->release());
        });
        std::fputs("done", stderr);
        std::exit(HasFailure() ? 3 : 0);
      },
      ::testing::ExitedWithCode(3), "done");
}

}  // namespace
}  // namespace ssx::sim
