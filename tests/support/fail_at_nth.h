// Runs a scenario again and again: with its first system call failing, with its second, and so on,
// until it runs to its end without meeting a failure.
//
//   sim::fail_at_nth([](const sim::FaultPlan& plan) {
//     auto server = TcpServer::create(options);
//     EXPECT_EQ(server.has_value(), plan.faults() == 0);
//   });
//
// Thread: the test's; calls of threads that the scenario starts count too
// Owner:  -
// Life:   one FaultPlan per run
// Bounds: kRunsMax runs. After every run as many descriptors are open as before it
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <type_traits>

#include "tests/support/open_files.h"
#include "tests/support/sim/kernel.h"

namespace ssx::sim {

inline constexpr std::uint64_t kRunsMax = 10'000;

/// `scenario()` or `scenario(plan)`; error 0 stands for the usual error of each call. Stops at the
/// first run that has failed a check. Returns the number of calls that were made to fail.
template <class Scenario>
std::uint64_t fail_at_nth(Scenario scenario, int error = 0) {
  for (std::uint64_t nth = 1; nth <= kRunsMax; ++nth) {
    const std::size_t open_before = test::open_files();
    FaultPlan plan;
    plan.fail_at_nth(nth, error);
    if constexpr (std::is_invocable_v<Scenario, const FaultPlan&>) {
      scenario(plan);
    } else {
      scenario();
    }
    EXPECT_EQ(test::open_files(), open_before) << "descriptors before and after differ";
    if (::testing::Test::HasFailure()) {
      ADD_FAILURE() << "with failure at call " << nth << " (" << plan.latest_fault() << ")";
      return nth;
    }
    if (plan.faults() == 0) return nth - 1;
  }
  ADD_FAILURE() << "the scenario still makes new calls after " << kRunsMax << " runs";
  return kRunsMax;
}

}  // namespace ssx::sim
