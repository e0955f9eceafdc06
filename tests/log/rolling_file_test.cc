#include "ssxrver/log/rolling_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "tests/log/log_folder.h"
#include "tests/support/fail_at_nth.h"
#include "tests/support/manual_clock.h"
#include "tests/support/sim/kernel.h"

namespace ssx::log {
namespace {

using sim::Call;
using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

class RollingFileTest : public testing::Test {
 protected:
  std::unique_ptr<RollingFile> open(std::uint64_t roll_size = 1 << 20, bool daily = false,
                                    Retention keep = {}) {
    auto file = std::make_unique<RollingFile>(
        RollingFile::Options{.folder = folder_.path() + "/sub/",
                             .base_name = "f",
                             .roll_size = roll_size,
                             .daily = daily,
                             .zone = TimeZone::kUtc,
                             .keep = keep},
        [](std::uint64_t lines, const Error& reason) {
          return std::to_string(lines) + " lost: " + reason.message() + "\n";
        },
        clock_);
    EXPECT_TRUE(file->open());
    return file;
  }

  void append(RollingFile& file, const std::string& text) {
    file.append(text + "\n", clock_.wall_now());
  }

  std::vector<std::string> files() const {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(folder_.path() + "/sub")) {
      names.push_back(entry.path().filename().string());
    }
    std::sort(names.begin(), names.end());
    return names;
  }

  /// Lines of all files, in the order of the files' names.
  std::vector<std::string> lines() const {
    std::string all;
    for (const std::string& name : files()) all += read(name);
    return LogFolder::split(all);
  }

  std::string read(const std::string& name) const { return folder_.read("sub/" + name); }

  LogFolder folder_;
  test::ManualClock clock_;
};

TEST_F(RollingFileTest, MakesItsFolderAndNamesTheFileByTheClock) {
  const auto file = open();
  EXPECT_THAT(files(), ElementsAre("f.19941106-084937.log"));
}

TEST_F(RollingFileTest, LinesWaitForFlush) {
  const auto file = open();
  append(*file, "one");
  EXPECT_TRUE(file->dirty());
  EXPECT_THAT(lines(), IsEmpty());
  file->flush();
  EXPECT_FALSE(file->dirty());
  EXPECT_THAT(lines(), ElementsAre("one"));
  EXPECT_EQ(file->counts().written, 1U);
}

TEST_F(RollingFileTest, DestructorFlushes) {
  auto file = open();
  append(*file, "one");
  file.reset();
  EXPECT_THAT(lines(), ElementsAre("one"));
}

TEST_F(RollingFileTest, RollsBeforeTheSizeIsExceeded) {
  const auto file = open(10);
  append(*file, "1234");  // 5 bytes
  append(*file, "5678");  // 10: still fits
  append(*file, "9");     // would be 12
  file->flush();
  EXPECT_EQ(read("f.19941106-084937.log"), "1234\n5678\n");
  EXPECT_EQ(read("f.19941106-084937.log.1"), "9\n");
  EXPECT_EQ(file->counts().files, 2U);
}

TEST_F(RollingFileTest, ALineLongerThanAFileGetsOneOfItsOwn) {
  const auto file = open(10);
  append(*file, "1");
  append(*file, "a line that is longer than ten bytes");
  append(*file, "2");
  file->flush();
  EXPECT_THAT(files(), SizeIs(3));
  EXPECT_THAT(lines(), SizeIs(3));
}

TEST_F(RollingFileTest, RollsAtMidnightWhenAskedTo) {
  const auto file = open(1 << 20, true);
  append(*file, "sunday");
  clock_.advance(hours(16));
  append(*file, "monday");
  file->append("straggler\n", clock_.wall_now() - hours(2));
  file->flush();
  EXPECT_EQ(read("f.19941106-084937.log"), "sunday\n");
  EXPECT_EQ(read("f.19941107-004937.log"), "monday\nstraggler\n");
}

TEST_F(RollingFileTest, StaysInOneFileOverMidnightOtherwise) {
  const auto file = open();
  append(*file, "sunday");
  clock_.advance(hours(16));
  append(*file, "monday");
  file->flush();
  EXPECT_THAT(files(), SizeIs(1));
}

TEST_F(RollingFileTest, ReopenGoesOnInANewFile) {
  const auto file = open();
  append(*file, "old");
  file->reopen();
  append(*file, "new");
  file->flush();
  EXPECT_EQ(read("f.19941106-084937.log"), "old\n");
  EXPECT_EQ(read("f.19941106-084937.log.1"), "new\n");
}

TEST_F(RollingFileTest, AppliesRetentionWhenItRolls) {
  const auto file = open(4096, false, {.files = 2});
  for (int i = 0; i < 5; ++i) {
    append(*file, std::to_string(i));
    file->reopen();
  }
  EXPECT_THAT(files(), ElementsAre("f.19941106-084937.log.4", "f.19941106-084937.log.5"));
  EXPECT_EQ(file->counts().removed, 4U);
}

TEST_F(RollingFileTest, RemovesNothingUpToTheLimitAndCountsWhatIsBeyond) {
  const auto file = open(4096, false, {.files = 3});
  for (const std::uint64_t removed : {0U, 0U, 1U, 2U}) {
    file->reopen();
    EXPECT_EQ(file->counts().removed, removed);
  }
}

TEST_F(RollingFileTest, AppliesRetentionByAgeWithoutARoll) {
  const auto file = open(4096, false, {.age = hours(24)});
  append(*file, "old");
  file->reopen();
  clock_.set_wall(std::chrono::time_point_cast<Duration>(std::chrono::system_clock::now()) +
                  hours(25));
  file->tick();
  EXPECT_THAT(files(), SizeIs(2));  // looks once per hour
  clock_.advance(hours(1));
  EXPECT_EQ(file->counts().removed, 0U);
  file->tick();
  EXPECT_THAT(files(), SizeIs(1));
  EXPECT_EQ(file->counts().removed, 1U);
}

TEST_F(RollingFileTest, PartialWritesLeaveNoTrace) {
  const auto file = open();
  sim::FaultPlan plan;
  plan.limit_bytes(Call::kWrite, 1);
  append(*file, "one");
  append(*file, "two");
  file->flush();
  EXPECT_EQ(read(files()[0]), "one\ntwo\n");
}

// D09: the disk fills up in the middle of a line. No part of it stays, and it comes whole later.
TEST_F(RollingFileTest, TakesBackTheHalfLineThatAFullDiskLeft) {
  const auto file = open();
  {
    sim::FaultPlan plan;
    plan.limit_bytes(Call::kWrite, 6, 1).fail(Call::kWrite, ENOSPC, sim::kForever);
    append(*file, "one");
    append(*file, "two");
    file->flush();
  }
  EXPECT_EQ(read(files()[0]), "one\n");
  EXPECT_EQ(file->counts().written, 1U);
  EXPECT_EQ(file->counts().failures, 1U);
  clock_.advance(seconds(1));
  file->flush();
  EXPECT_EQ(read(files()[0]), "one\ntwo\n");
  EXPECT_EQ(file->counts().lost, 0U);
}

TEST_F(RollingFileTest, EndsAHalfLineThatCannotBeTakenBack) {
  const auto file = open();
  {
    sim::FaultPlan plan;
    plan.limit_bytes(Call::kWrite, 6, 1).fail(Call::kWrite, ENOSPC, sim::kForever);
    plan.fail(Call::kFtruncate, EIO);
    append(*file, "one");
    append(*file, "two");
    file->flush();
  }
  clock_.advance(seconds(1));
  file->flush();
  EXPECT_EQ(read(files()[0]), "one\ntw\ntwo\n");
  EXPECT_EQ(file->counts().written, 2U);
}

TEST_F(RollingFileTest, BacksOffFromOneSecondToThirty) {
  const auto file = open();
  append(*file, "x");
  sim::FaultPlan plan;
  plan.fail(Call::kWrite, ENOSPC, sim::kForever);
  file->flush();
  std::uint64_t failures = 1;
  for (const int wait : {1, 2, 4, 8, 16, 30, 30}) {
    clock_.advance(seconds(wait) - milliseconds(1));
    file->flush();
    ASSERT_EQ(file->counts().failures, failures) << wait;
    clock_.advance(milliseconds(1));
    file->flush();
    ASSERT_EQ(file->counts().failures, ++failures) << wait;
  }
}

TEST_F(RollingFileTest, CountsEveryLineThatFoundNoRoomAndSaysSoInPlace) {
  const auto file = open(std::uint64_t{1} << 40);
  append(*file, "first");
  file->flush();
  const std::string line(1000, 'x');
  const std::uint64_t in_block = RollingFile::kPendingMax / 1001;
  {
    sim::FaultPlan plan;
    plan.fail(Call::kWrite, ENOSPC, sim::kForever);
    for (std::uint64_t i = 0; i < 2 * in_block + 1; ++i) append(*file, line);
    EXPECT_EQ(file->counts().lost, 2 * in_block);
  }
  clock_.advance(hours(1));
  append(*file, "last");
  file->flush();
  const auto written = lines();
  ASSERT_THAT(written, SizeIs(4));
  EXPECT_EQ(written[0], "first");
  EXPECT_EQ(written[1], std::to_string(2 * in_block) + " lost: write: No space left on device");
  EXPECT_EQ(written[2], line);
  EXPECT_EQ(written[3], "last");
  EXPECT_EQ(file->counts().written, 3U);
}

TEST_F(RollingFileTest, ADeviceErrorMakesItTryANewFile) {
  const auto file = open();
  append(*file, "one");
  {
    sim::FaultPlan plan;
    plan.fail(Call::kWrite, EIO);
    file->flush();
  }
  clock_.advance(seconds(1));
  file->flush();
  EXPECT_THAT(files(), SizeIs(2));
  EXPECT_THAT(lines(), ElementsAre("one"));
}

// D09: read-only remount.
TEST_F(RollingFileTest, WaitsForAFileSystemThatIsReadOnly) {
  const auto file = open();
  append(*file, "one");
  {
    sim::FaultPlan plan;
    plan.fail(Call::kWrite, EROFS, sim::kForever).fail(Call::kOpen, EROFS, sim::kForever);
    for (int i = 0; i < 5; ++i) {
      file->flush();
      clock_.advance(seconds(30));
    }
    EXPECT_EQ(file->counts().failures, 5U);
  }
  file->flush();
  EXPECT_THAT(lines(), ElementsAre("one"));
  EXPECT_EQ(file->counts().lost, 0U);
}

// D09: the folder of the log is removed while it is written to.
TEST_F(RollingFileTest, MakesARemovedFolderAnewAndLosesNoLine) {
  const auto file = open();
  append(*file, "gone with the folder");
  file->flush();
  std::filesystem::remove_all(folder_.path() + "/sub");
  append(*file, "one");
  append(*file, "two");
  file->flush();
  EXPECT_THAT(lines(), ElementsAre("one", "two"));
  EXPECT_EQ(file->counts().lost, 0U);
}

TEST_F(RollingFileTest, WaitsWhenARemovedFolderCannotBeMade) {
  const auto file = open();
  std::filesystem::remove_all(folder_.path() + "/sub");
  append(*file, "one");
  {
    sim::FaultPlan plan;
    plan.fail(Call::kMkdir, EACCES, sim::kForever);
    file->flush();
    EXPECT_TRUE(file->dirty());
  }
  clock_.advance(seconds(1));
  file->flush();
  EXPECT_THAT(lines(), ElementsAre("one"));
  EXPECT_EQ(file->counts().written, 1U);
}

TEST_F(RollingFileTest, GoesOnInTheOldFileWhenTheNextCannotBeMade) {
  const auto file = open(10);
  append(*file, "12345678");
  {
    sim::FaultPlan plan;
    plan.fail(Call::kOpen, ENOSPC, sim::kForever);
    append(*file, "over");
    append(*file, "and over");  // not tried again for every line
    EXPECT_EQ(file->counts().failures, 1U);
  }
  clock_.advance(seconds(1));
  append(*file, "next");
  file->flush();
  EXPECT_EQ(read("f.19941106-084937.log"), "12345678\nover\nand over\n");
  EXPECT_EQ(read("f.19941106-084938.log"), "next\n");
}

TEST_F(RollingFileTest, FirstFileThatCannotBeMadeIsAnError) {
  sim::FaultPlan plan;
  plan.fail(Call::kOpen, EACCES);
  RollingFile file(
      {.folder = folder_.path() + "/",
       .base_name = "f",
       .roll_size = 4096,
       .daily = false,
       .zone = TimeZone::kUtc,
       .keep = {}},
      [](std::uint64_t, const Error&) { return std::string(); }, clock_);
  const auto opened = file.open();
  ASSERT_FALSE(opened);
  EXPECT_TRUE(opened.error().is_errno(EACCES));
}

// Whichever system call fails once: every line is in the files, whole, once, and in its order.
TEST_F(RollingFileTest, SurvivesTheFailureOfEveryCall) {
  int run = 0;
  const auto failed = sim::fail_at_nth([&] {
    // A folder for each run: the loop ends with the first one that meets no failure.
    RollingFile file(
        {.folder = folder_.path() + "/sub/" + std::to_string(++run) + "/",
         .base_name = "f",
         .roll_size = 4096,
         .daily = false,
         .zone = TimeZone::kUtc,
         .keep = {.files = 10}},
        [](std::uint64_t, const Error&) { return std::string("lost\n"); }, clock_);
    static_cast<void>(file.open());
    for (int i = 0; i < 6; ++i) {
      append(file, std::to_string(i));
      file.flush();
      if (i == 2) file.reopen();
      clock_.advance(seconds(31));
    }
    file.flush();
    EXPECT_EQ(file.counts().written, 6U);
    std::string all;
    std::vector<std::string> names;
    const std::string here = folder_.path() + "/sub/" + std::to_string(run);
    for (const auto& entry : std::filesystem::directory_iterator(here)) {
      names.push_back("sub/" + std::to_string(run) + "/" + entry.path().filename().string());
    }
    std::sort(names.begin(), names.end());
    for (const std::string& name : names) all += folder_.read(name);
    EXPECT_EQ(all, "0\n1\n2\n3\n4\n5\n");
  });
  EXPECT_GT(failed, 10U);
}

TEST_F(RollingFileTest, TellsStderrWhatIsLostAtTheEnd) {
  auto file = open();
  append(*file, "one");
  sim::FaultPlan plan;
  plan.fail(Call::kWrite, ENOSPC, sim::kForever);
  testing::internal::CaptureStderr();
  file.reset();
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "1 lost: write: No space left on device\n");
  EXPECT_THAT(lines(), IsEmpty());
}

}  // namespace
}  // namespace ssx::log
