#include "ssxrver/net/timer_wheel.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <memory>
#include <random>
#include <vector>

#include "tests/support/full_size.h"

namespace ssx::net {
namespace {

using namespace std::chrono_literals;  // NOLINT(google-build-using-namespace): literals only

constexpr Duration kTick = TimerWheel::kTick;
constexpr std::size_t kAll = SIZE_MAX;

class Probe final : public Deadline {
 public:
  explicit Probe(std::function<void()> then = nullptr) : then_(std::move(then)) {}
  int fired = 0;

 private:
  void on_deadline() override {
    EXPECT_FALSE(is_set());
    ++fired;
    if (then_) then_();
  }
  std::function<void()> then_;
};

class TimerWheelTest : public testing::Test {
 protected:
  void set(Probe& probe, Duration due) { wheel.set(probe, start + due); }
  bool run(Duration time, std::size_t budget = kAll) { return wheel.run_due(start + time, budget); }

  const TimePoint start{5h + 3ns};
  TimerWheel wheel{start};
};

TEST_F(TimerWheelTest, FiresNotBeforeItsTimeAndAtMostATickAfter) {
  const std::vector<Duration> dues = {1ns, kTick - 1ns,    kTick,        kTick + 1ns,
                                      10s, 1023 * kTick,   1024 * kTick, 1024 * kTick + 1ns,
                                      1h,  24h * 365 + 7ns};
  for (const Duration due : dues) {
    TimerWheel each(start);
    Probe probe;
    each.set(probe, start + due);
    each.run_due(start + due - 1ns, kAll);
    EXPECT_EQ(probe.fired, 0) << due.count();
    each.run_due(start + due + kTick, kAll);
    EXPECT_EQ(probe.fired, 1) << due.count();
    each.run_due(start + due + 10 * kTick, kAll);
    EXPECT_EQ(probe.fired, 1) << due.count();
  }
}

TEST_F(TimerWheelTest, ATimeThatHasPassedFiresAtTheNextTick) {
  run(100 * kTick);
  Probe past;
  wheel.set(past, start - 1h);
  EXPECT_TRUE(past.is_set());
  EXPECT_LE(wheel.next_due(), start + 101 * kTick);
  run(101 * kTick);
  EXPECT_EQ(past.fired, 1);
}

TEST_F(TimerWheelTest, MovingLaterAndEarlierAndClearing) {
  Probe probe;
  set(probe, 10s);
  set(probe, 20s);
  run(15s);
  EXPECT_EQ(probe.fired, 0);
  set(probe, 16s);  // earlier than the slot that it stands in
  run(16s + kTick);
  EXPECT_EQ(probe.fired, 1);
  set(probe, 30s);
  wheel.clear(probe);
  EXPECT_FALSE(probe.is_set());
  run(1min);
  EXPECT_EQ(probe.fired, 1);
  set(probe, 2min);  // while its old link may still be there
  run(3min);
  EXPECT_EQ(probe.fired, 2);
}

TEST_F(TimerWheelTest, ADestroyedDeadlineIsOut) {
  auto probe = std::make_unique<Probe>();
  Probe other;
  set(*probe, 1s);
  set(other, 1s);
  probe.reset();
  run(2s);
  EXPECT_EQ(other.fired, 1);
}

TEST_F(TimerWheelTest, NextDueIsNeverTooLate) {
  EXPECT_EQ(wheel.next_due(), TimePoint::max());
  Probe near, far;
  set(far, 1h);
  const TimePoint first = wheel.next_due();
  EXPECT_LE(first, start + 1h + kTick);
  set(near, 5s);
  EXPECT_GE(wheel.next_due(), start + 5s);
  EXPECT_LE(wheel.next_due(), start + 5s + kTick);
  // Going from one wake-up to the next fires everything in time, and does not wake for ever.
  int wakes = 0;
  while (far.fired == 0 && ++wakes < 200) {
    const TimePoint next = wheel.next_due();
    ASSERT_NE(next, TimePoint::max());
    wheel.run_due(next, kAll);
  }
  EXPECT_EQ(near.fired, 1);
  EXPECT_EQ(far.fired, 1);
  EXPECT_LT(wakes, 60);  // 3600 s / 69 s, and some
  EXPECT_EQ(wheel.next_due(), TimePoint::max());
}

TEST_F(TimerWheelTest, FiresAtMostItsBudgetAndSaysThatMoreIsDue) {
  std::vector<std::unique_ptr<Probe>> probes;
  for (int i = 0; i < 10; ++i) {
    probes.push_back(std::make_unique<Probe>());
    set(*probes.back(), 1s);
  }
  const auto fired = [&] {
    return std::ranges::count_if(probes, [](const auto& probe) { return probe->fired == 1; });
  };
  EXPECT_TRUE(run(2s, 4));
  EXPECT_EQ(fired(), 4);
  EXPECT_EQ(wheel.next_due(), TimePoint::min());
  // What still waits for its turn may be moved, cleared or destroyed.
  set(*probes[9], 1h);
  wheel.clear(*probes[8]);
  probes[7].reset();
  probes.erase(probes.begin() + 7);
  EXPECT_FALSE(run(2s, 100));
  EXPECT_EQ(fired(), 7);
}

TEST_F(TimerWheelTest, ACallbackMaySetItselfAndDestroyOthers) {
  std::unique_ptr<Probe> victim;
  Probe* again_at = nullptr;
  Probe again([&] {
    victim.reset();
    set(*again_at, 3s);
  });
  again_at = &again;
  victim = std::make_unique<Probe>([] { FAIL(); });
  set(again, 1s);
  set(*victim, 1s);
  run(2s);
  EXPECT_EQ(again.fired, 1);
  EXPECT_TRUE(again.is_set());
  run(3s + kTick);
  EXPECT_EQ(again.fired, 2);
  wheel.clear(again);
}

TEST_F(TimerWheelTest, AClockThatStandsStillOrGoesBackFiresNothingTwice) {
  Probe probe;
  set(probe, 1s);
  run(2s);
  run(2s);
  run(1s);
  EXPECT_EQ(probe.fired, 1);
  set(probe, 3s);
  run(0s);
  EXPECT_EQ(probe.fired, 1);
  run(4s);
  EXPECT_EQ(probe.fired, 2);
}

// D13: millions of re-arms and cancels (in full size 10^8) on 1,000 deadlines, with jumps and many
// rounds of the wheel.
TEST_F(TimerWheelTest, MillionsOfMovesFireInTimeAndTakeNoMemory) {
  std::mt19937_64 random(2);
  const auto between = [&random](std::int64_t low, std::int64_t high) {
    return Duration(low + static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(high)));
  };
  std::vector<std::unique_ptr<Probe>> probes;
  std::vector<Duration> due(1000, Duration::max());
  Duration now = 0ns;
  for (std::size_t i = 0; i < due.size(); ++i) {
    probes.push_back(std::make_unique<Probe>([&, i] {
      EXPECT_LE(due[i], now);                // never early
      EXPECT_GE(due[i] + kTick + 10s, now);  // late by a tick and the step of the clock at the most
      due[i] = Duration::max();
    }));
  }
  for (int step = test::full_size(2000, 100'000); step > 0; --step) {
    for (int move = 0; move < 1000; ++move) {
      const std::size_t i = random() % due.size();
      if (random() % 4 == 0) {
        wheel.clear(*probes[i]);
        due[i] = Duration::max();
      } else {
        due[i] = now + between(0, random() % 10 == 0 ? 1'000'000'000'000 : 60'000'000'000);
        wheel.set(*probes[i], start + due[i]);
      }
    }
    now += between(0, 10'000'000'000);
    run(now);
    for (std::size_t i = 0; i < due.size(); ++i) {
      ASSERT_GE(due[i] == Duration::max() ? now : due[i] + kTick, now) << "not fired in time";
    }
  }
  static_assert(sizeof(Probe) <= 88, "all that a deadline takes is inside it");
}

}  // namespace
}  // namespace ssx::net
