#include "ssxrver/log/output.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cerrno>
#include <string>

#include "ssxrver/base/log.h"
#include "tests/log/log_folder.h"
#include "tests/support/manual_clock.h"
#include "tests/support/sim/kernel.h"

namespace ssx::log {
namespace {

using sim::Call;
using std::chrono::seconds;
using testing::ElementsAre;
using testing::HasSubstr;

constexpr Site site_of(std::uint8_t stream) {
  return {.file = "f.cc",
          .module = "module",
          .format = "plain",
          .types = nullptr,
          .format_size = 5,
          .line = 3,
          .module_size = 6,
          .arguments = 0,
          .level = Level::kInfo,
          .stream = stream};
}
constexpr Site kLog = site_of(0);
constexpr Site kLines = site_of(1);

class OutputTest : public testing::Test {
 protected:
  OutputTest() {
    options_.async = true;
    options_.path = folder_.path();
    options_.base_name = "a-log";
    options_.pattern = "%n %v";
  }

  void write(Output& output, const Site& site, std::uint32_t suppressed = 0) {
    const RecordHeader record{.site = &site,
                              .stamp = 0,
                              .bytes = 0,
                              .suppressed = suppressed,
                              .thread = 1,
                              .cut = false,
                              .formatted = false};
    output.write(record, nullptr, clock_.wall_now());
  }

  LogFolder folder_;
  LogOptions options_;
  test::ManualClock clock_;
};

TEST_F(OutputTest, WritesRecordsAndNotes) {
  Output output(options_, clock_);
  ASSERT_TRUE(output.open());
  write(output, kLog);
  write(output, kLog, 3);
  output.note(Level::kWarn, "of my own");
  EXPECT_TRUE(output.dirty());
  EXPECT_TRUE(output.flush());
  EXPECT_THAT(folder_.lines(),
              ElementsAre("module plain", "module plain (3 more like this)", "log of my own"));
}

TEST_F(OutputTest, LineFilesHaveNothingButTheLine) {
  Output output(options_, clock_);
  ASSERT_TRUE(output.open());
  EXPECT_EQ(output.add_lines({.path = "b-lines"}), 1);
  write(output, kLines);
  EXPECT_TRUE(output.flush());
  EXPECT_EQ(folder_.text(), "plain\n");
  EXPECT_EQ(output.counts().written, 1U);
  EXPECT_EQ(output.counts().files, 2U);
}

TEST_F(OutputTest, ALineOfAFileThatHasGoneIsLeftOut) {
  Output output(options_, clock_);
  ASSERT_TRUE(output.open());
  write(output, kLines);
  EXPECT_TRUE(output.flush());
  EXPECT_EQ(folder_.text(), "");
}

TEST_F(OutputTest, RefusesLineFilesWithoutAName) {
  Output output(options_, clock_);
  const auto refused = output.add_lines({.path = "folder/"});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code(), make_error_code(Errc::kInvalidArgument));
}

TEST_F(OutputTest, LostLinesOfALineFileAreToldInTheLog) {
  options_.roll_size = std::uint64_t{1} << 40;
  Output output(options_, clock_);
  ASSERT_TRUE(output.open());
  ASSERT_TRUE(output.add_lines({.path = "b-lines"}));
  {
    sim::FaultPlan plan;
    plan.fail(Call::kWrite, ENOSPC, sim::kForever);
    for (std::size_t i = 0; i < RollingFile::kPendingMax / 6 + 1; ++i) write(output, kLines);
  }
  clock_.advance(seconds(31));
  EXPECT_TRUE(output.flush());
  EXPECT_THAT(folder_.lines().front(),
              HasSubstr(" lines lost in b-lines: write: No space left on device"));
  EXPECT_EQ(folder_.lines().size(), 2U);
}

TEST_F(OutputTest, SoAreThoseThatAreLostAtTheEnd) {
  sim::FaultPlan plan;
  {
    Output output(options_, clock_);
    ASSERT_TRUE(output.open());
    ASSERT_TRUE(output.add_lines({.path = "b-lines"}));
    write(output, kLines);
    plan.fail(Call::kWrite, ENOSPC);
  }
  EXPECT_THAT(folder_.lines().front(),
              HasSubstr("1 lines lost in b-lines: write: No space left on device"));
}

TEST_F(OutputTest, ReopenConcernsEveryFile) {
  Output output(options_, clock_);
  ASSERT_TRUE(output.open());
  ASSERT_TRUE(output.add_lines({.path = "b-lines"}));
  output.reopen();
  EXPECT_EQ(folder_.files().size(), 4U);
}

TEST_F(OutputTest, ConsoleAloneUnlessAsynchronous) {
  options_.async = false;
  Output output(options_, clock_);
  ASSERT_TRUE(output.open());
  testing::internal::CaptureStdout();
  write(output, kLog);
  output.flush();
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "module plain\n");
  EXPECT_EQ(output.file(), nullptr);
}

}  // namespace
}  // namespace ssx::log
