#include "http/send_watch.h"

#include <gtest/gtest.h>

namespace ssx::http {
namespace {

using namespace std::chrono_literals;  // NOLINT(google-build-using-namespace): literals only
using Verdict = SendWatch::Verdict;

class SendWatchTest : public testing::Test {
 protected:
  /// After `elapsed`, when the peer has taken `taken` bytes in all.
  Verdict look(Duration elapsed, std::uint64_t taken) {
    asked = false;
    return watch.look(start + elapsed, limits, next, [this, taken] {
      asked = true;
      return taken;
    });
  }

  RouteLimits limits{.write_timeout = 10s, .write_min_rate = 1000, .write_min_rate_grace = 30s};
  TimePoint start{1h};
  SendWatch watch;
  milliseconds next{0};
  bool asked = false;
};

TEST_F(SendWatchTest, AsksNobodyBeforeItIsTime) {
  watch.begin(start, 0);
  EXPECT_EQ(look(9s, 0), Verdict::kGoOn);
  EXPECT_FALSE(asked);
  EXPECT_GT(next, 900ms);
  EXPECT_LE(next, 1100ms);
}

TEST_F(SendWatchTest, EndsWithAPeerThatTakesNothing) {
  watch.begin(start, 500);
  EXPECT_EQ(look(11s, 500), Verdict::kTimedOut);
}

TEST_F(SendWatchTest, GoesOnWithAPeerThatTakesALittleInItsGrace) {
  watch.begin(start, 500);
  EXPECT_EQ(look(11s, 501), Verdict::kGoOn);
  EXPECT_EQ(next, 10s);
  EXPECT_EQ(look(22s, 502), Verdict::kGoOn);
  EXPECT_EQ(look(33s, 503), Verdict::kTooSlow);  // the grace is over
}

TEST_F(SendWatchTest, GoesOnWithAPeerThatTakesEnough) {
  watch.begin(start, 0);
  std::uint64_t taken = 0;
  for (int i = 1; i < 20; ++i) {
    taken += 11'000;
    EXPECT_EQ(look(i * 11s, taken), Verdict::kGoOn) << i;
  }
}

TEST_F(SendWatchTest, TellsBytesApartHoweverManyThereWere) {
  constexpr std::uint64_t kWraps = std::uint64_t{1} << 40;
  for (const std::uint64_t mark : {kWraps - 1, kWraps, 3 * kWraps + 500}) {
    watch.begin(start, mark);
    EXPECT_EQ(look(11s, mark), Verdict::kTimedOut) << mark;
    watch.begin(start, mark);
    EXPECT_EQ(look(11s, mark + 1), Verdict::kGoOn) << mark;
  }
}

TEST_F(SendWatchTest, TellsTimesApartHoweverLateItIs) {
  const Duration wraps = Duration(std::int64_t{1} << 50);  // of the ticks: 13 days
  for (const TimePoint late : {TimePoint(wraps - 5s), TimePoint(wraps), TimePoint(7 * wraps)}) {
    start = late;
    watch.begin(start, 500);
    EXPECT_EQ(look(9s, 500), Verdict::kGoOn);
    EXPECT_EQ(look(11s, 500), Verdict::kTimedOut);
  }
}

// begin() marks what was written; of that the peer may have taken less by the next look.
TEST_F(SendWatchTest, BlamesNobodyForWhatIsOnItsWay) {
  watch.begin(start, 1'000'000);
  EXPECT_EQ(look(31s, 10), Verdict::kGoOn);
}

TEST_F(SendWatchTest, NeverLooksWhenItIsOff) {
  limits.write_timeout = 0ms;
  limits.write_min_rate = 0;
  watch.begin(start, 0);
  EXPECT_EQ(look(1h, 0), Verdict::kGoOn);
  EXPECT_EQ(next, 0ms);
  EXPECT_FALSE(asked);
  EXPECT_EQ(watch.until_look(start, limits), 0ms);
}

TEST_F(SendWatchTest, IsNotPutOffByWhatIsWrittenMeanwhile) {
  watch.begin(start, 0);
  EXPECT_GT(watch.until_look(start, limits), 9900ms);
  EXPECT_LE(watch.until_look(start + 9s, limits), 1100ms);
  EXPECT_EQ(watch.until_look(start + 20s, limits), 1ms);
}

}  // namespace
}  // namespace ssx::http
