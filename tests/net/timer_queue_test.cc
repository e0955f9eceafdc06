#include "ssxrver/net/timer_queue.h"

#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <random>
#include <string>
#include <vector>

namespace ssx::net {
namespace {

using namespace std::chrono_literals;  // NOLINT(google-build-using-namespace): literals only

constexpr std::size_t kAll = SIZE_MAX;

class TimerQueueTest : public testing::Test {
 protected:
  TimerId add(Duration due, std::string name, Duration period = 0ns) {
    return queue.add(start + due, period, [this, name = std::move(name)] { fired += name; });
  }
  /// Runs everything due at this time; what fired by name.
  std::string at(Duration time, std::size_t budget = kAll) {
    fired.clear();
    more = queue.run_due(start + time, budget);
    return fired;
  }

  const TimePoint start{1h};
  TimerQueue queue;
  std::string fired;
  bool more = false;
};

TEST_F(TimerQueueTest, FiresInOrderOfTimeThenOfCreation) {
  add(30ns, "d");
  add(10ns, "a");
  add(20ns, "b");
  add(20ns, "c");
  EXPECT_EQ(queue.next_due(), start + 10ns);
  EXPECT_EQ(at(30ns), "abcd");
  EXPECT_EQ(queue.size(), 0U);
  EXPECT_EQ(queue.next_due(), TimerQueue::kNever);
}

TEST_F(TimerQueueTest, FiresToTheNanosecondAndNeverEarly) {
  add(1000ns, "x");
  EXPECT_EQ(at(999ns), "");
  EXPECT_EQ(at(1000ns), "x");
  EXPECT_EQ(at(1001ns), "");
}

TEST_F(TimerQueueTest, FiresAtMostItsBudget) {
  for (const std::size_t budget : {2U, 3U, 4U}) {
    for (const char* name : {"a", "b", "c"}) add(1ns, name);
    EXPECT_EQ(at(1ns, budget), std::string("abc").substr(0, budget));
    EXPECT_EQ(more, budget < 3) << budget;
    (void)at(1ns);
  }
}

TEST_F(TimerQueueTest, ACancelledTimerIsGone) {
  const TimerId a = add(10ns, "a");
  const TimerId b = add(10ns, "b");
  EXPECT_TRUE(queue.cancel(a));
  EXPECT_FALSE(queue.cancel(a));
  EXPECT_EQ(queue.size(), 1U);
  EXPECT_EQ(at(10ns), "b");
  EXPECT_FALSE(queue.cancel(b));
  EXPECT_FALSE(queue.cancel(TimerId{}));
}

TEST_F(TimerQueueTest, CancellingDestroysTheCallbackAtOnce) {
  auto watched = std::make_shared<int>(1);
  const TimerId id = queue.add(start, 0ns, [watched] {});
  EXPECT_EQ(watched.use_count(), 2);
  queue.cancel(id);
  EXPECT_EQ(watched.use_count(), 1);
}

TEST_F(TimerQueueTest, APeriodicTimerKeepsItsBeatAndSkipsWhatItMissed) {
  add(10ns, "x", 10ns);
  EXPECT_EQ(at(10ns), "x");
  EXPECT_EQ(queue.next_due(), start + 20ns);
  EXPECT_EQ(at(57ns), "x");  // once for 20, 30, 40 and 50
  EXPECT_EQ(queue.next_due(), start + 60ns);
  EXPECT_EQ(at(60ns), "x");
  EXPECT_EQ(queue.size(), 1U);
}

TEST_F(TimerQueueTest, APeriodicTimerMayCancelItself) {
  TimerId id;
  int runs = 0;
  id = queue.add(start, 10ns, [&] {
    ++runs;
    EXPECT_TRUE(queue.cancel(id));
    EXPECT_FALSE(queue.cancel(id));
  });
  (void)at(0ns);
  (void)at(1s);
  EXPECT_EQ(runs, 1);
  EXPECT_EQ(queue.size(), 0U);
}

TEST_F(TimerQueueTest, ATimerIsOverWhenItFires) {
  TimerId id;
  id = queue.add(start, 0ns, [&] { EXPECT_FALSE(queue.cancel(id)); });
  (void)at(0ns);
  EXPECT_EQ(queue.size(), 0U);
}

TEST_F(TimerQueueTest, ACallbackMayCancelOneThatIsDueInTheSameRun) {
  TimerId b;
  queue.add(start, 0ns, [&] { queue.cancel(b); });
  b = add(0ns, "b");
  add(0ns, "c");
  EXPECT_EQ(at(0ns), "c");
}

TEST_F(TimerQueueTest, WhatACallbackAddsWaitsForTheNextRun) {
  queue.add(start, 0ns, [this] { add(0ns, "later"); });
  EXPECT_EQ(at(0ns), "");
  EXPECT_TRUE(more);
  EXPECT_EQ(at(0ns), "later");
  EXPECT_FALSE(more);
}

// The callback owns what cancels another timer when it is destroyed.
TEST_F(TimerQueueTest, ADyingCallbackMayCancelOthers) {
  struct Canceller {
    TimerQueue& queue;
    TimerId id;
    ~Canceller() { queue.cancel(id); }
  };
  const TimerId victim = add(10ns, "victim");
  const TimerId id = queue.add(start, 0ns, [owner = std::make_shared<Canceller>(queue, victim)] {});
  queue.cancel(id);
  EXPECT_EQ(at(10ns), "");
  EXPECT_EQ(queue.size(), 0U);
}

TEST_F(TimerQueueTest, TheSystemsLastMomentIsNever) {
  queue.add(TimePoint::max(), 0ns, [] { FAIL(); });
  EXPECT_EQ(queue.next_due(), TimerQueue::kNever);
  (void)at(std::chrono::hours(24 * 365 * 100));
  EXPECT_EQ(queue.size(), 1U);
}

// 2021: an assertion that always fired stood in the insertion. Insertions at every place of the
// heap, beside cancels of every place.
TEST_F(TimerQueueTest, InsertsAndRemovesAtEveryPlace) {
  for (std::size_t count = 1; count <= 12; ++count) {
    for (std::size_t victim = 0; victim < count; ++victim) {
      std::vector<TimerId> ids;
      std::string expected;
      for (std::size_t i = 0; i < count; ++i) {
        const auto due = Duration(static_cast<long>(i * 7 % count));
        ids.push_back(add(due, std::string(1, static_cast<char>('a' + i * 7 % count))));
      }
      for (std::size_t i = 0; i < count; ++i) {
        for (std::size_t j = 0; j < count; ++j) {
          if (j * 7 % count == i && j != victim) expected += static_cast<char>('a' + i);
        }
      }
      EXPECT_TRUE(queue.cancel(ids[victim]));
      EXPECT_EQ(at(1s), expected) << count << ' ' << victim;
    }
  }
}

}  // namespace
}  // namespace ssx::net
