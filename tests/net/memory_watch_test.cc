#include "ssxrver/net/memory_watch.h"

#include <gtest/gtest.h>

#include <cerrno>
#include <vector>

#include "tests/net/loop_fixture.h"
#include "tests/support/captured_log.h"

namespace ssx::net {
namespace {

class MemoryWatchTest : public LoopTest {
 protected:
  void start(std::uint64_t max) {
    watch = std::make_unique<MemoryWatch>(
        *loop, options, max,
        [this]() -> Result<std::uint64_t> {
          ++looks;
          if (fails) return fail_errno(EIO, "statm");
          return used;
        },
        overload);
    watch->start();
  }
  OverloadLevel at(std::uint64_t now_used) {
    used = now_used;
    advance(MemoryWatch::kPeriod);
    return overload.level();
  }

  MemoryOptions options;
  Overload overload;
  std::uint64_t used = 0;
  int looks = 0;
  bool fails = false;
  const test::CapturedLog log;
  std::unique_ptr<MemoryWatch> watch;
};

TEST_F(MemoryWatchTest, EachWatermarkIsReachedExactly) {
  start(1000);
  EXPECT_EQ(at(799), OverloadLevel::kNone);
  EXPECT_EQ(at(800), OverloadLevel::kSave);
  EXPECT_EQ(at(801), OverloadLevel::kSave);
  EXPECT_EQ(at(899), OverloadLevel::kSave);
  EXPECT_EQ(at(900), OverloadLevel::kRefuse);
  EXPECT_EQ(at(949), OverloadLevel::kRefuse);
  EXPECT_EQ(at(950), OverloadLevel::kStop);
  EXPECT_EQ(at(100'000), OverloadLevel::kStop);
  EXPECT_EQ(at(0), OverloadLevel::kNone);
  EXPECT_EQ(at(1000), OverloadLevel::kStop);  // without the steps between
}

TEST_F(MemoryWatchTest, ALevelIsLeftALittleBelowItsWatermark) {
  start(1000);
  EXPECT_EQ(at(950), OverloadLevel::kStop);
  EXPECT_EQ(at(930), OverloadLevel::kStop);
  EXPECT_EQ(at(929), OverloadLevel::kRefuse);
  EXPECT_EQ(at(880), OverloadLevel::kRefuse);
  EXPECT_EQ(at(879), OverloadLevel::kSave);
  EXPECT_EQ(at(899), OverloadLevel::kSave);  // up again only at the watermark itself
  EXPECT_EQ(at(780), OverloadLevel::kSave);
  EXPECT_EQ(at(779), OverloadLevel::kNone);
  EXPECT_EQ(at(799), OverloadLevel::kNone);
}

TEST_F(MemoryWatchTest, LooksFourTimesASecondAndAtTheStart) {
  used = 900;
  start(1000);
  EXPECT_EQ(looks, 1);
  EXPECT_EQ(overload.level(), OverloadLevel::kRefuse);
  advance(249ms);
  EXPECT_EQ(looks, 1);
  advance(1ms);
  EXPECT_EQ(looks, 2);
  watch->stop();
  advance(1h);
  EXPECT_EQ(looks, 2);
}

TEST_F(MemoryWatchTest, NeverLooksWithoutAMaximum) {
  used = 1 << 30;
  start(0);
  advance(1h);
  EXPECT_EQ(looks, 0);
  EXPECT_EQ(overload.level(), OverloadLevel::kNone);
}

TEST_F(MemoryWatchTest, ALookThatFailsChangesNothing) {
  start(1000);
  EXPECT_EQ(at(900), OverloadLevel::kRefuse);
  fails = true;
  EXPECT_EQ(at(0), OverloadLevel::kRefuse);
  EXPECT_FALSE(log.lines().empty());
}

TEST_F(MemoryWatchTest, HugeMaximaDoNotOverflow) {
  start(UINT64_MAX);
  EXPECT_EQ(at(UINT64_MAX / 2), OverloadLevel::kNone);
  EXPECT_EQ(at(UINT64_MAX / 100 * 96), OverloadLevel::kStop);
}

TEST(MemoryMax, IsWhatWasAskedForOrOff) {
  EXPECT_EQ(resolve_memory_max({.max = 12345}), 12345U);
  EXPECT_EQ(resolve_memory_max({.max = -1}), 0U);
}

}  // namespace
}  // namespace ssx::net
