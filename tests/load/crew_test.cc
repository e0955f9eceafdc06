#include "ssxrver/load/crew.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>

namespace ssx::load {
namespace {

using std::chrono::milliseconds;

/// Counts what it is told, and answers a thousand times a second.
class Steps final : public Load {
 public:
  Steps(net::EventLoop& loop, std::atomic<int>& steps, bool opens)
      : loop_(loop), steps_(steps), opens_(opens) {}
  void open() override {
    EXPECT_TRUE(loop_.is_in_loop_thread());
    ++steps_;
    count_connect();
    if (opens_) set_open();
  }
  void start() override {
    ++steps_;
    loop_.run_every(milliseconds(1), [this] {
      if (is_over_) return;
      ++tally_.answered;
      count_answer();
    });
  }
  void measure() override {
    ++steps_;
    tally_ = Tally();
  }
  void finish() override {
    ++steps_;
    is_over_ = true;
  }

 private:
  net::EventLoop& loop_;
  std::atomic<int>& steps_;
  const bool opens_;
  bool is_over_ = false;
};

class Crews : public testing::Test {
 protected:
  Outcome run(bool opens = true) {
    const auto outcome = Crew::run(
        options,
        [this, opens](net::EventLoop& loop, std::uint32_t) {
          return std::make_unique<Steps>(loop, steps, opens);
        },
        [this](const Progress& now) {
          ++told;
          last = now;
        },
        stop);
    EXPECT_TRUE(outcome);
    return *outcome;
  }

  CrewOptions options{.threads = 3,
                      .open_timeout = milliseconds(50),
                      .warm_up = milliseconds(20),
                      .time = milliseconds(200),
                      .tick = milliseconds(50)};
  std::atomic<bool> stop{false};
  std::atomic<int> steps{0};
  int told = 0;
  Progress last{};
};

TEST_F(Crews, GoThroughEveryStepOnEachLoop) {
  const Outcome outcome = run();
  EXPECT_EQ(steps, 3 * 4);
  EXPECT_GT(outcome.tally.answered, 0U);
  EXPECT_GE(outcome.window, milliseconds(200));
  EXPECT_FALSE(outcome.was_cut);
  EXPECT_GT(outcome.busy, 0);
}

TEST_F(Crews, TellHowFarTheyAre) {
  (void)run();
  EXPECT_GE(told, 2);
  EXPECT_EQ(last.time, milliseconds(200));
  EXPECT_GE(last.passed, milliseconds(200));
}

TEST_F(Crews, DoNotWaitForEverForWhatDoesNotOpen) { EXPECT_EQ(run(false).was_cut, false); }

TEST_F(Crews, TellHowManyStandWhileTheyOpen) {
  options.tick = milliseconds(10);
  options.open_timeout = std::chrono::hours(1);
  std::uint64_t told_connected = 0;
  int told_opening = 0;
  options.on_opening = [&](std::uint64_t connected) {
    told_connected = connected;
    if (++told_opening == 3) stop = true;
  };
  (void)run(false);
  EXPECT_EQ(told_opening, 3);
  EXPECT_EQ(told_connected, 3U);
}

TEST_F(Crews, CountTheTimeInWhichTheirAnswersCame) {
  const auto take_a_while = [] {
    const TimePoint end = SystemClock::instance().now() + milliseconds(60);
    while (SystemClock::instance().now() < end) {
    }
  };
  options.on_begin = take_a_while;
  options.on_end = take_a_while;
  EXPECT_GE(run().window, milliseconds(320));
}

TEST_F(Crews, EndWhenTheyAreStopped) {
  options.time = std::chrono::hours(1);
  stop = true;
  const Outcome outcome = run();
  EXPECT_TRUE(outcome.was_cut);
  EXPECT_EQ(steps, 3 * 4);
}

}  // namespace
}  // namespace ssx::load
