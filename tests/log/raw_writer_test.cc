#include "ssxrver/log/raw_writer.h"

#include <fcntl.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "ssxrver/base/log.h"
#include "ssxrver/sys/file.h"
#include "tests/log/log_folder.h"
#include "tests/support/sim/kernel.h"

namespace ssx::log {
namespace {

std::vector<Slot>* kept = nullptr;
constexpr Backend kKeep{make_record, +[](const Slot& slot) noexcept { kept->push_back(slot); },
                        nullptr};

class RawWriterTest : public testing::Test {
 protected:
  RawWriterTest() : file_(*sys::open(path().c_str(), O_CREAT | O_WRONLY, 0600)) {
    kept = &records_;
    set_level(Level::kTrace);
    set_backend(&kKeep);
  }
  ~RawWriterTest() override {
    set_backend(nullptr);
    set_level(Level::kWarn);
    for (const Slot& slot : records_) free_record(slot);
  }

  std::string path() const { return folder_.path() + "/raw"; }

  std::string written() {
    {
      RawWriter raw(file_.get());
      for (const Slot& slot : records_) {
        header_of(slot)->thread = 4711;
        raw.record(*header_of(slot), slot.arguments);
      }
    }
    return folder_.read("raw");
  }

  LogFolder folder_;
  sys::UniqueFd file_;
  std::vector<Slot> records_;
};

std::string expected(Level level, int line, const std::string& rest) {
  return "RAW " + std::string(to_string(level)) +
         " 4711 raw_writer_test.cc:" + std::to_string(line) + " " + rest + "\n";
}

TEST_F(RawWriterTest, ShowsFormatAndArguments) {
  SSX_LOG_INFO("{} of {}: {}", -1, 18446744073709551615ULL, "text\n\x7f");
  const int line = __LINE__ - 1;
  EXPECT_EQ(written(),
            expected(Level::kInfo, line, "{} of {}: {} | -1 | 18446744073709551615 | \"text??\""));
}

TEST_F(RawWriterTest, ShowsEveryTypeOfArgument) {
  SSX_LOG_DEBUG("{}{}{}{}{}", true, 'x', INT64_MIN, 7U, reinterpret_cast<void*>(0xABC));
  SSX_LOG_DEBUG("{}{}{}{}", 1.0F, 1.0, 1.0L, false);
  const int line = __LINE__ - 2;
  EXPECT_EQ(
      written(),
      expected(Level::kDebug, line, "{}{}{}{}{} | true | x | -9223372036854775808 | 7 | 0xabc") +
          expected(Level::kDebug, line + 1,
                   "{}{}{}{} | float:0x3f800000 | double:0x3ff0000000000000 | long double | "
                   "false"));
}

TEST_F(RawWriterTest, ShowsAFinishedMessageAsItIs) {
  static constexpr Site kSite{.file = "a.cc",
                              .module = "",
                              .format = "not {} looked at",
                              .types = nullptr,
                              .format_size = 16,
                              .line = 5,
                              .module_size = 0,
                              .arguments = 0,
                              .level = Level::kError};
  internal::write_text(kSite, "all of it", 0);
  EXPECT_EQ(written(), "RAW ERROR 4711 a.cc:5 \"all of it\"\n");
}

TEST_F(RawWriterTest, LeavesOutTheEndOfLongTexts) {
  SSX_LOG_INFO("{}", std::string(RawWriter::kTextMax + 1, 'x'));
  const int line = __LINE__ - 1;
  EXPECT_EQ(written(),
            expected(Level::kInfo, line, "{} | \"" + std::string(RawWriter::kTextMax, 'x') + "\""));
}

TEST_F(RawWriterTest, FillsItsBlockManyTimes) {
  std::string all;
  for (int i = 0; i < 500; ++i) {
    SSX_LOG_WARN("{}", i);
    all += expected(Level::kWarn, __LINE__ - 1, "{} | " + std::to_string(i));
  }
  sim::FaultPlan plan;
  plan.limit_bytes(sim::Call::kWrite, 100);
  EXPECT_EQ(written(), all);
}

TEST_F(RawWriterTest, GivesUpWhenNothingCanBeWritten) {
  for (int i = 0; i < 500; ++i) SSX_LOG_WARN("{}", i);
  sim::FaultPlan plan;
  plan.fail(sim::Call::kWrite, EIO, sim::kForever);
  EXPECT_EQ(written(), "");
}

TEST_F(RawWriterTest, TellsOfTheCrash) {
  {
    RawWriter raw(file_.get());
    raw.crash("SIGSEGV", 12, 0xdead);
    raw.lines("finished\n");
  }
  EXPECT_EQ(folder_.read("raw"), "RAW FATAL 12 SIGSEGV at 0xdead\nfinished\n");
}

}  // namespace
}  // namespace ssx::log
