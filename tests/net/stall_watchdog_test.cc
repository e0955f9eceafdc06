#include "ssxrver/net/stall_watchdog.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace ssx::net {
namespace {

using namespace std::chrono_literals;  // NOLINT(google-build-using-namespace): literals only

/// Loops on threads of their own, and a watchdog for all of them.
class Watched {
 public:
  Watched(Duration limit, int count) {
    std::vector<StallWatchdog::Watched> watched;
    for (int i = 0; i < count; ++i) {
      loops_.push_back(*EventLoop::create());
      watched.push_back({loops_.back().get(), "loop-" + std::to_string(i)});
    }
    for (const auto& loop : loops_) threads_.emplace_back([&loop = *loop] { loop.run(); });
    watchdog_ = *StallWatchdog::start(limit, std::move(watched));
  }
  ~Watched() {
    for (const auto& loop : loops_) loop->stop();
    for (std::thread& thread : threads_) thread.join();
    watchdog_.reset();
  }
  EventLoop& loop(std::size_t index) { return *loops_[index]; }

 private:
  std::vector<std::unique_ptr<EventLoop>> loops_;
  std::vector<std::thread> threads_;
  std::unique_ptr<StallWatchdog> watchdog_;
};

/// Keeps the processor busy, as a turn does that hangs.
void spin(Duration time) {
  const TimePoint end = SystemClock::instance().now() + time;
  while (SystemClock::instance().now() < end) {
  }
}

/// Until a signal comes.
[[noreturn]] void hang() {
  for (;;) ::pause();
}

/// Of a whole process: there is no clock to turn and nothing to wait for.
void pass(std::chrono::milliseconds time) { ::poll(nullptr, 0, static_cast<int>(time.count())); }

TEST(StallWatchdog, LooksTenTimesPerLimitWithinBounds) {
  EXPECT_EQ(StallWatchdog::interval_of(5s), 500ms);
  EXPECT_EQ(StallWatchdog::interval_of(10ms), 1ms);
  EXPECT_EQ(StallWatchdog::interval_of(9ms), 1ms);
  EXPECT_EQ(StallWatchdog::interval_of(10s), 1s);
  EXPECT_EQ(StallWatchdog::interval_of(1h), 1s);
}

// Under ThreadSanitizer: the names and the marks are read while they change.
TEST(StallWatchdog, LeavesLoopsAloneThatTurn) {
  Watched watched(2s, 2);
  const TimePoint end = SystemClock::instance().now() + 3 * StallWatchdog::interval_of(2s);
  while (SystemClock::instance().now() < end) {
    for (std::size_t i = 0; i < 2; ++i) {
      std::atomic<bool> ran{false};
      watched.loop(i).post([&ran, &loop = watched.loop(i)] {
        loop.set_label("GET /quick");
        ran = true;
        ran.notify_one();
      });
      ran.wait(false);
    }
  }
}

TEST(StallWatchdog, EndsWithoutWaitingForItsNextLook) {
  const auto loop = *EventLoop::create();
  const TimePoint began = SystemClock::instance().now();
  for (int i = 0; i < 100; ++i) ASSERT_TRUE(StallWatchdog::start(1h, {{loop.get(), "idle"}}));
  EXPECT_LT(SystemClock::instance().now() - began, 100 * StallWatchdog::interval_of(1h) / 2);
}

class StallWatchdogDeathTest : public testing::Test {
 protected:
  StallWatchdogDeathTest() { GTEST_FLAG_SET(death_test_style, "threadsafe"); }
  /// The child's; were it not ended, this would end it in another way.
  static Watched& watch(Duration limit, int count) {
    ::alarm(60);
    static Watched watched(limit, count);
    return watched;
  }
};

TEST_F(StallWatchdogDeathTest, EndsAProcessWhoseLoopHangsAndNamesWhatHangs) {
  EXPECT_EXIT(
      {
        Watched& watched = watch(100ms, 3);
        watched.loop(1).post([&loop = watched.loop(1)] {
          loop.set_label("GET /hang");
          spin(1h);
        });
        hang();
      },
      testing::KilledBySignal(SIGABRT),
      "FATAL.*loop-1 hangs in GET /hang: its turn has lasted [0-9]+ ms "
      "\\(loop.stall_kill is 100 ms\\); SIGABRT for its thread [0-9]+");
}

TEST_F(StallWatchdogDeathTest, EndsOneThatSleepsInACallbackWithoutAName) {
  EXPECT_EXIT(
      {
        Watched& watched = watch(100ms, 1);
        watched.loop(0).post([] { hang(); });
        hang();
      },
      testing::KilledBySignal(SIGABRT), "loop-0 hangs in a callback without a name");
}

// The signal is for the thread that hangs: its stack is what a core shows.
TEST_F(StallWatchdogDeathTest, SignalsTheThreadThatHangs) {
  EXPECT_EXIT(
      {
        static int hanging = 0;
        std::signal(SIGABRT, [](int) { std::_Exit(::gettid() == hanging ? 7 : 8); });
        Watched& watched = watch(100ms, 2);
        watched.loop(0).post([] {
          hanging = ::gettid();
          hang();
        });
        hang();
      },
      testing::ExitedWithCode(7), "");
}

// A console that nobody reads: the line itself hangs.
TEST_F(StallWatchdogDeathTest, EndsTheProcessAlsoWhenItsLastLineHangs) {
  EXPECT_EXIT(
      {
        int pipe[2];
        if (::pipe(pipe) != 0) std::_Exit(1);
        ::fcntl(pipe[1], F_SETFL, O_NONBLOCK);
        const std::string full(4096, 'x');
        while (::write(pipe[1], full.data(), full.size()) > 0) {
        }
        ::fcntl(pipe[1], F_SETFL, 0);
        ::dup2(pipe[1], 2);
        Watched& watched = watch(100ms, 1);
        watched.loop(0).post([] { hang(); });
        hang();
      },
      testing::KilledBySignal(SIGABRT), "");
}

// Longer than the limit by the clock, but not while it was allowed to run.
TEST_F(StallWatchdogDeathTest, SparesAProcessThatWasStopped) {
  EXPECT_EXIT(
      {
        const pid_t self = ::getpid();
        int pipe[2];
        if (::pipe(pipe) != 0) std::_Exit(1);
        if (::fork() == 0) {
          char go = 0;
          if (::read(pipe[0], &go, 1) != 1) ::_exit(1);
          ::kill(self, SIGSTOP);
          pass(2500ms);
          ::kill(self, SIGCONT);
          ::_exit(0);
        }
        Watched& watched = watch(2s, 1);
        watched.loop(0).post([&pipe] {
          const TimePoint began = SystemClock::instance().now();
          if (::write(pipe[1], "", 1) != 1) std::_Exit(1);
          while (SystemClock::instance().now() < began + 2500ms) pass(1ms);
          spin(600ms);  // the watchdog looks three times
          std::_Exit(7);
        });
        hang();
      },
      testing::ExitedWithCode(7), "");
}

TEST_F(StallWatchdogDeathTest, SparesALoopThatWaitsForLonger) {
  EXPECT_EXIT(
      {
        Watched& watched = watch(200ms, 2);
        watched.loop(0).post([] {});
        pass(1s);
        std::_Exit(7);
      },
      testing::ExitedWithCode(7), "");
}

}  // namespace
}  // namespace ssx::net
