// A load, carried out for a short time.
#pragma once

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>

#include "ssxrver/load/crew.h"
#include "ssxrver/load/load_plan.h"

namespace ssx::load::test {

inline double seconds(Duration time) { return std::chrono::duration<double>(time).count(); }

inline std::uint64_t count(const Outcome& outcome, Failure failure) {
  return outcome.tally.failures[static_cast<std::size_t>(failure)];
}

inline Outcome measured(
    const LoadPlan& plan, const Crew::MakeLoad& make_load,
    Duration time = std::chrono::milliseconds(200),
    const Crew::OnProgress& on_progress = [](const Progress&) {},
    Duration warm_up = std::chrono::milliseconds(20)) {
  using std::chrono::milliseconds;
  const CrewOptions options{.threads = plan.threads,
                            .open_timeout = milliseconds(500),
                            .warm_up = warm_up,
                            .time = time,
                            .tick = milliseconds(50)};
  const std::atomic<bool> never{false};
  const auto outcome = Crew::run(options, make_load, on_progress, never);
  EXPECT_TRUE(outcome) << outcome.error().message();
  const Tally& tally = outcome->tally;
  EXPECT_EQ(tally.begun(), tally.answered + tally.failed() + tally.unfinished);
  const std::uint64_t waited = tally.unfinished + count(*outcome, Failure::kTimeout);
  EXPECT_EQ(tally.latency.count(), tally.answered + (plan.rate > 0 ? waited : 0));
  EXPECT_LE(tally.unsent, tally.unfinished);
  return *outcome;
}

/// Of so many bytes each: what was begun before the window may have been sent before it, too.
inline void expect_sent(const Outcome& outcome, std::size_t bytes) {
  const Tally& tally = outcome.tally;
  EXPECT_GT(tally.answered, tally.carried);
  EXPECT_GE(tally.bytes_out, (tally.answered - tally.carried) * bytes);
}

inline void expect_all_well(const Outcome& outcome) {
  EXPECT_GT(outcome.tally.answered, 10U);
  EXPECT_EQ(outcome.tally.failed(), 0U);
}

}  // namespace ssx::load::test
