#include "ssxrver/net/signals.h"

#include <gtest/gtest.h>

#include <vector>

#include "ssxrver/sys/process.h"
#include "tests/net/loop_fixture.h"

namespace ssx::net {
namespace {

using SignalWatcherTest = LoopTest;

TEST_F(SignalWatcherTest, TellsTheLoopOfEachSignal) {
  std::vector<int> seen;
  const auto watcher = SignalWatcher::create(*loop, {SIGUSR1, SIGUSR2},
                                             [&seen](int signal, int) { seen.push_back(signal); });
  ASSERT_TRUE(watcher);
  ASSERT_TRUE(sys::kill(sys::process_id(), SIGUSR1));
  ASSERT_TRUE(sys::kill(sys::process_id(), SIGUSR2));
  idle();
  EXPECT_EQ(seen, (std::vector<int>{SIGUSR1, SIGUSR2}));
}

TEST_F(SignalWatcherTest, EqualSignalsThatComeTogetherAreOne) {
  int seen = 0;
  const auto watcher = SignalWatcher::create(*loop, {SIGUSR1}, [&seen](int, int) { ++seen; });
  ASSERT_TRUE(watcher);
  ASSERT_TRUE(sys::kill(sys::process_id(), SIGUSR1));
  ASSERT_TRUE(sys::kill(sys::process_id(), SIGUSR1));
  idle();
  EXPECT_EQ(seen, 1);
}

TEST_F(SignalWatcherTest, QueuedOnesCarryTheirNumbers) {
  std::vector<int> seen;
  const auto watcher =
      SignalWatcher::create(*loop, {SIGRTMIN}, [&seen](int, int value) { seen.push_back(value); });
  ASSERT_TRUE(watcher);
  ASSERT_TRUE(sys::queue_signal(sys::process_id(), SIGRTMIN, 7));
  ASSERT_TRUE(sys::queue_signal(sys::process_id(), SIGRTMIN, -8));
  idle();
  EXPECT_EQ(seen, (std::vector<int>{7, -8}));
}

}  // namespace
}  // namespace ssx::net
