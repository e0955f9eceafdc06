// A loop on this thread whose clock the test turns.
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <memory>

#include "ssxrver/net/event_loop.h"
#include "ssxrver/net/spawn.h"
#include "tests/support/manual_clock.h"

namespace ssx::net {

using namespace std::chrono_literals;  // NOLINT(google-build-using-namespace): literals only

inline std::unique_ptr<EventLoop> make_loop(const Clock& clock) {
  auto loop = EventLoop::create({}, clock);
  SSX_ASSERT(loop.has_value());
  return *std::move(loop);
}

class LoopTest : public testing::Test {
 protected:
  void idle() { loop->run_until_idle(); }
  void advance(Duration time) {
    clock.advance(time);
    idle();
  }
  /// Spawns and lets it run until it waits.
  void start(Task<> task) {
    spawn(*loop, std::move(task), [this](const std::exception_ptr& thrown) { failure = thrown; });
    idle();
  }
  /// What run() does when somebody calls stop().
  void end_loop() {
    loop->stop();
    loop->run();
  }

  test::ManualClock clock;
  std::unique_ptr<EventLoop> loop = make_loop(clock);
  std::exception_ptr failure;
};

}  // namespace ssx::net
