// Run under ThreadSanitizer: plans, counters and clocks that several threads use at once.
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <thread>
#include <vector>

#include "ssxrver/sys/event.h"
#include "ssxrver/sys/file.h"
#include "tests/support/sim/kernel.h"
#include "tests/support/sim/virtual_time.h"

namespace ssx::sim {
namespace {

TEST(SimKernelThreads, CountsAndFailsExactlyWhileThreadsCallAtOnce) {
  constexpr int kEach = 500;
  constexpr std::uint64_t kFails = 300;
  const CallWatch watch;
  FaultPlan plan;
  plan.pass(Call::kGetcwd, 100).fail(Call::kGetcwd, EACCES, kFails);
  std::array<int, 4> failed{};
  std::vector<std::thread> threads;
  for (int& mine : failed) {
    threads.emplace_back([&mine] {
      for (int i = 0; i < kEach; ++i) mine += sys::getcwd() ? 0 : 1;
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(watch.of(Call::kGetcwd), 4U * kEach);
  EXPECT_EQ(failed[0] + failed[1] + failed[2] + failed[3], static_cast<int>(kFails));
  EXPECT_EQ(plan.faults(), kFails);
}

TEST(SimKernelThreads, APlanMayEndWhileOthersCall) {
  std::atomic<bool> done{false};
  std::thread other([&done] {
    while (!done.load()) static_cast<void>(sys::getcwd());
  });
  for (int i = 0; i < 200; ++i) {
    FaultPlan plan;
    plan.fail(Call::kGetcwd, EACCES, 3).limit_bytes(Call::kRead, 1).random(1);
    static_cast<void>(sys::getcwd());
  }
  done.store(true);
  other.join();
  EXPECT_TRUE(sys::getcwd());
}

TEST(VirtualTimeThreads, WakesALoopThatWaitsOnAnotherThread) {
  test::ManualClock clock;
  const VirtualTime time(clock);
  const auto timer = sys::timerfd_create().value();
  const auto epoll = sys::epoll_create().value();
  ASSERT_TRUE(sys::epoll_add(epoll.get(), timer.get(), EPOLLIN, nullptr));
  ASSERT_TRUE(sys::timerfd_arm(timer.get(), clock.now() + std::chrono::hours(1)));
  std::size_t woken = 0;
  std::thread loop([&epoll, &woken] {
    std::array<epoll_event, 1> events;
    woken = sys::epoll_wait(epoll.get(), events, 10'000).value_or(0);
  });
  clock.advance(std::chrono::hours(1));
  loop.join();
  EXPECT_EQ(woken, 1U);
}

TEST(VirtualTimeThreads, TimersAreArmedWhileTheClockIsTurned) {
  test::ManualClock clock;
  const VirtualTime time(clock);
  constexpr int kRounds = 500;
  std::thread arming([&clock] {
    for (int i = 0; i < kRounds; ++i) {
      const auto timer = sys::timerfd_create().value();
      ASSERT_TRUE(sys::timerfd_arm(timer.get(), clock.now() + Duration(10)));
      if (i % 2 == 0) {
        ASSERT_TRUE(sys::timerfd_disarm(timer.get()));
      }
    }
  });
  for (int i = 0; i < kRounds; ++i) clock.advance(Duration(7));
  arming.join();
}

}  // namespace
}  // namespace ssx::sim
