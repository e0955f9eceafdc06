#include "ssxrver/log/logger.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cerrno>
#include <filesystem>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include "ssxrver/base/log.h"
#include "tests/log/log_folder.h"
#include "tests/support/fail_at_nth.h"
#include "tests/support/full_size.h"
#include "tests/support/manual_clock.h"

namespace ssx::log {
namespace {

using sim::Call;
using std::chrono::seconds;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::MatchesRegex;
using testing::SizeIs;

constexpr seconds kPatience{30};

class LoggerTest : public testing::Test {
 protected:
  LoggerTest() {
    options_.async = true;
    options_.path = folder_.path();
    options_.base_name = "t";
    options_.pattern = "%l %v";  // what most tests want to see
  }

  std::unique_ptr<Logger> install(const Clock& clock = SystemClock::instance()) {
    auto logger = Logger::install(options_, clock);
    EXPECT_TRUE(logger) << (logger ? "" : logger.error().text());
    return logger ? *std::move(logger) : nullptr;
  }

  LogFolder folder_;
  LogOptions options_;
};

TEST_F(LoggerTest, WritesToTheFile) {
  const auto logger = install();
  SSX_LOG_INFO("{} of {}", 1, 2);
  SSX_LOG_DEBUG("not at this level");
  ASSERT_TRUE(logger->flush(kPatience));
  EXPECT_THAT(folder_.lines(), ElementsAre("info 1 of 2"));
  EXPECT_EQ(logger->stats().written, 1U);
}

TEST_F(LoggerTest, LinesHaveTimeLevelThreadAndPlace) {
  options_.pattern.clear();
  options_.time = TimeZone::kUtc;
  const auto logger = install();
  SSX_LOG_INFO("hello");
  ASSERT_TRUE(logger->flush(kPatience));
  EXPECT_THAT(folder_.text(),
              MatchesRegex("20[0-9]+-[0-9]+-[0-9]+ [0-9]+:[0-9]+:[0-9]+\\.[0-9]+Z INFO  [0-9]+ "
                           "[a-z]+/logger_test.cc:[0-9]+: hello\n"));
}

TEST_F(LoggerTest, DestructorWritesOutWhatWasLogged) {
  auto logger = install();
  for (int i = 0; i < 1000; ++i) SSX_LOG_INFO("{}", i);
  logger.reset();
  EXPECT_THAT(folder_.lines(), SizeIs(1000));
}

TEST_F(LoggerTest, ErrorsAreFlushedAtOnceWithoutBeingAsked) {
  options_.flush = seconds(3600);
  const auto logger = install();
  SSX_LOG_ERROR("now");
  while (folder_.text().empty()) std::this_thread::yield();
  EXPECT_THAT(folder_.lines(), ElementsAre("error now"));
}

TEST_F(LoggerTest, FatalIsOnDiskWhenTheCallReturns) {
  const auto logger = install();
  SSX_LOG_FATAL("last words");
  EXPECT_THAT(folder_.lines(), ElementsAre("critical last words"));
}

TEST_F(LoggerTest, TakesEachModulesLevel) {
  options_.levels = {{"log", Level::kDebug}, {"tests", Level::kDebug}};
  options_.level = Level::kError;
  const auto logger = install();
  SSX_LOG_DEBUG("open");
  ASSERT_TRUE(logger->flush(kPatience));
  EXPECT_THAT(folder_.lines(), ElementsAre("debug open"));
}

TEST_F(LoggerTest, IsInstalledOncePerProcess) {
  const auto logger = install();
  const auto second = Logger::install(options_);
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().code(), ExitCode::kSoftware);
}

TEST_F(LoggerTest, RefusesValuesOutOfRange) {
  options_.buffers = 1;
  const auto logger = Logger::install(options_);
  ASSERT_FALSE(logger);
  EXPECT_EQ(logger.error().code(), ExitCode::kConfig);
  EXPECT_THAT(logger.error().text(), HasSubstr("log.buffers"));
}

TEST_F(LoggerTest, SaysWhatToDoWhenTheFileCannotBeMade) {
  std::ofstream(folder_.path() + "/in-the-way") << "x";
  options_.path = folder_.path() + "/in-the-way/logs";
  const auto logger = Logger::install(options_);
  ASSERT_FALSE(logger);
  EXPECT_EQ(logger.error().code(), ExitCode::kCannotCreate);
  EXPECT_THAT(logger.error().text(), HasSubstr("change log.path"));
}

TEST_F(LoggerTest, MakesTheFolder) {
  options_.path = folder_.path() + "/a/b";
  auto logger = install();
  SSX_LOG_INFO("x");
  logger.reset();
  EXPECT_FALSE(std::filesystem::is_empty(folder_.path() + "/a/b"));
}

TEST_F(LoggerTest, FailedStartLeavesNothingBehind) {
  int run = 0;
  const auto failed = sim::fail_at_nth([&](const sim::FaultPlan& plan) {
    options_.base_name = "run" + std::to_string(++run);  // no collisions: each is a system call
    auto logger = Logger::install(options_);
    // Without trusted ticks, without retention and without an alternate stack it runs as well.
    EXPECT_TRUE(logger || plan.faults() > 0);
    SSX_LOG_INFO("through");
  });
  EXPECT_GT(failed, 3U);
}

TEST_F(LoggerTest, ThreadsMayOutliveLoggers) {
  std::atomic<int> round{0};
  std::atomic<int> answered{0};
  std::thread thread([&] {
    for (int seen = 0; seen < 3;) {
      if (round.load() == seen) continue;
      seen = round.load();
      SSX_LOG_INFO("round {}", seen);
      answered.store(seen);
    }
  });
  for (int i = 1; i <= 3; ++i) {
    options_.base_name = "round" + std::to_string(i);
    auto logger = install();
    round.store(i);
    while (answered.load() != i) std::this_thread::yield();
    logger.reset();
  }
  thread.join();
  EXPECT_THAT(folder_.lines(), ElementsAre("info round 1", "info round 2", "info round 3"));
}

TEST_F(LoggerTest, KeepsTheLinesOfThreadsThatHaveEnded) {
  const auto logger = install();
  for (int i = 0; i < 64; ++i) {
    std::thread([i] { SSX_LOG_INFO("thread {}", i); }).join();
  }
  ASSERT_TRUE(logger->flush(kPatience));
  EXPECT_THAT(folder_.lines(), SizeIs(64));
}

struct SaysGoodbye {
  ~SaysGoodbye() { SSX_LOG_INFO("goodbye"); }
};

TEST_F(LoggerTest, TakesLinesOfDestructorsAtThreadExit) {
  const auto logger = install();
  std::thread([] {
    // Made before the first line, so destroyed after the logger's own part of this thread.
    static thread_local SaysGoodbye goodbye;
    static_cast<void>(goodbye);
    SSX_LOG_INFO("hello");
  }).join();
  ASSERT_TRUE(logger->flush(kPatience));
  EXPECT_THAT(folder_.lines(), ElementsAre("info hello", "info goodbye"));
}

TEST_F(LoggerTest, LinesOfAllThreadsAreInTheOrderOfTime) {
  options_.overflow = Overflow::kBlock;
  const auto logger = install();
  std::atomic<int> turn{0};
  std::vector<std::thread> threads;
  for (int id = 0; id < 4; ++id) {
    threads.emplace_back([&turn, id] {
      for (int n = id; n < 2000; n += 4) {
        while (turn.load() != n) std::this_thread::yield();
        SSX_LOG_INFO("{}", n);
        turn.store(n + 1);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  ASSERT_TRUE(logger->flush(kPatience));
  const auto lines = folder_.lines();
  ASSERT_THAT(lines, SizeIs(2000));
  for (int n = 0; n < 2000; ++n)
    ASSERT_EQ(lines[static_cast<std::size_t>(n)], "info " + std::to_string(n));
}

// E09 and F09: 16 threads at full speed, and somebody who reopens the log all the time.
TEST_F(LoggerTest, ReopenStormLosesSplitsAndDoublesNoLine) {
  constexpr int kThreads = 16;
  const int lines_each = test::full_size(5000, 200'000);
  options_.overflow = Overflow::kBlock;
  options_.ring_size = 64 << 10;
  const auto logger = install();
  std::atomic<int> running{kThreads};
  std::vector<std::thread> threads;
  for (int id = 0; id < kThreads; ++id) {
    threads.emplace_back([&running, id, lines_each] {
      for (int n = 0; n < lines_each; ++n)
        SSX_LOG_INFO("{} {} {}", id, n, "some text to carry along");
      --running;
    });
  }
  int reopened = 0;
  while (running.load() != 0) {
    logger->reopen();
    ++reopened;
    std::this_thread::yield();
  }
  for (std::thread& thread : threads) thread.join();
  ASSERT_TRUE(logger->flush(kPatience));
  EXPECT_GT(reopened, 1);

  std::vector<int> next(kThreads, 0);
  for (const std::string& line : folder_.lines()) {
    int id = -1;
    int n = -1;
    char rest[64] = {};
    ASSERT_EQ(std::sscanf(line.c_str(), "info %d %d %63[^\n]", &id, &n, rest), 3) << line;
    ASSERT_STREQ(rest, "some text to carry along");
    ASSERT_EQ(n, next.at(static_cast<std::size_t>(id))++) << line;
  }
  for (const int count : next) EXPECT_EQ(count, lines_each);
  EXPECT_GT(folder_.files().size(), 1U);
  EXPECT_EQ(logger->stats().lost_overflow + logger->stats().lost_file, 0U);
}

TEST_F(LoggerTest, CountsEveryLineThatFindsNoRoom) {
  options_.ring_size = 64 << 10;
  const auto logger = install();
  constexpr int kLines = 50'000;
  const auto shout = [] {
    for (int n = 0; n < kLines; ++n) SSX_LOG_INFO("line {}", n);
  };
  std::thread one(shout);
  std::thread two(shout);
  one.join();
  two.join();
  ASSERT_TRUE(logger->flush(kPatience));
  std::uint64_t written = 0;
  std::uint64_t reported = 0;
  for (const std::string& line : folder_.lines()) {
    std::uint64_t lost = 0;
    if (std::sscanf(line.c_str(), "warning %lu lines lost", &lost) == 1) {
      reported += lost;
    } else {
      ++written;
    }
  }
  EXPECT_EQ(written + reported, 2 * kLines);
  EXPECT_EQ(logger->stats().lost_overflow, reported);
}

TEST_F(LoggerTest, DropsTheOldestBufferWhenAskedTo) {
  options_.overflow = Overflow::kDropOldest;
  options_.buffers = 2;
  const auto logger = install();
  constexpr int kLines = 100'000;
  for (int n = 0; n < kLines; ++n) SSX_LOG_INFO("line {}", n);
  ASSERT_TRUE(logger->flush(kPatience));
  const LogStats stats = logger->stats();
  std::uint64_t written = 0;
  for (const std::string& line : folder_.lines()) written += line.starts_with("info line") ? 1 : 0;
  EXPECT_EQ(written + stats.lost_overflow, kLines);
}

TEST_F(LoggerTest, CountsLinesThatWereCutAndFilesThatWereRemoved) {
  options_.line_max = 256;
  options_.max_files = 1;
  const auto logger = install();
  for (const std::size_t size : {255U, 256U, 257U}) SSX_LOG_INFO("{}", std::string(size, 'x'));
  ASSERT_TRUE(logger->flush(kPatience));
  EXPECT_EQ(logger->stats().cut, 1U);
  EXPECT_EQ(logger->stats().files_removed, 0U);
  logger->reopen();
  ASSERT_TRUE(logger->flush(kPatience));
  EXPECT_EQ(logger->stats().files_removed, 1U);
}

TEST_F(LoggerTest, BlockedThreadsGoOnWhenTheLoggerGoes) {
  options_.overflow = Overflow::kBlock;
  options_.ring_size = 64 << 10;
  auto logger = install();
  std::atomic<bool> stop{false};
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&stop] {
      while (!stop.load()) SSX_LOG_INFO("{}", "x");
    });
  }
  while (logger->stats().written < 1000) std::this_thread::yield();
  logger.reset();
  stop = true;
  for (std::thread& thread : threads) thread.join();
}

TEST_F(LoggerTest, SynchronousModeWritesToTheConsoleAndOpensNoFile) {
  options_.async = false;
  testing::internal::CaptureStdout();
  auto logger = install();
  SSX_LOG_INFO("at once");
  const std::string shown = testing::internal::GetCapturedStdout();
  EXPECT_EQ(shown, "info at once\n");
  EXPECT_THAT(folder_.files(), IsEmpty());
}

TEST_F(LoggerTest, ConsoleAndFileTogether) {
  options_.console = true;
  testing::internal::CaptureStdout();
  auto logger = install();
  SSX_LOG_INFO("twice");
  ASSERT_TRUE(logger->flush(kPatience));
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "info twice\n");
  EXPECT_THAT(folder_.lines(), ElementsAre("info twice"));
}

TEST_F(LoggerTest, TellsHowManyLinesARatedOneStandsFor) {
  const auto logger = install();
  const auto rated = [](std::chrono::nanoseconds interval, int i) {
    SSX_LOG_RATED(INFO, interval, "{}", i);
  };
  rated(std::chrono::nanoseconds(0), 0);
  rated(std::chrono::hours(1), 1);  // the next may come in an hour
  rated(std::chrono::hours(1), 2);
  ASSERT_TRUE(logger->flush(kPatience));
  EXPECT_THAT(folder_.lines(), ElementsAre("info 0", "info 1"));
}

TEST_F(LoggerTest, LineSinkWritesPlainLinesToAFileOfItsOwn) {
  const auto logger = install();
  const auto sink = logger->open_lines({.path = "access/log"});
  ASSERT_TRUE(sink);
  sink->write("GET / \"x\"\n200");
  SSX_LOG_INFO("beside");
  ASSERT_TRUE(logger->flush(kPatience));
  EXPECT_THAT(folder_.lines(), ElementsAre("info beside"));
  std::string access;
  for (const auto& entry : std::filesystem::directory_iterator(folder_.path() + "/access")) {
    EXPECT_TRUE(entry.path().filename().string().starts_with("log."));
    std::ifstream(entry.path()) >> std::noskipws >> access;
    std::getline(std::ifstream(entry.path()), access);
  }
  EXPECT_EQ(access, "GET / \"x\"\\x0a200");
}

TEST_F(LoggerTest, OpensEightLineFiles) {
  const auto logger = install();
  for (int i = 0; i < 8; ++i) EXPECT_TRUE(logger->open_lines({.path = "a" + std::to_string(i)}));
  EXPECT_FALSE(logger->open_lines({.path = "b"}));
}

// D09, the twin that needs no rights: the disk is full, then it has room again.
TEST_F(LoggerTest, FullDiskLosesCountedLinesAndRecovers) {
  test::ManualClock clock;
  options_.overflow = Overflow::kBlock;
  const auto logger = install(clock);
  SSX_LOG_INFO("before");
  ASSERT_TRUE(logger->flush(kPatience));
  constexpr int kLines = 20'000;  // more than fits in the block that waits
  {
    sim::FaultPlan plan;
    plan.fail(Call::kWrite, ENOSPC, sim::kForever);
    for (int n = 0; n < kLines; ++n) SSX_LOG_INFO("line {}", n);
    EXPECT_FALSE(logger->flush(kPatience));
  }
  clock.advance(seconds(31));
  SSX_LOG_INFO("after");
  ASSERT_TRUE(logger->flush(kPatience));
  const auto lines = folder_.lines();
  std::uint64_t kept = 0;
  std::uint64_t reported = 0;
  for (const std::string& line : lines) {
    std::uint64_t lost = 0;
    if (std::sscanf(line.c_str(), "warning %lu lines lost here: write: No space", &lost) == 1) {
      reported += lost;
    } else {
      kept += line.starts_with("info line ") ? 1 : 0;
    }
  }
  EXPECT_EQ(lines.front(), "info before");
  EXPECT_EQ(lines.back(), "info after");
  EXPECT_GT(reported, 0U);
  EXPECT_EQ(kept + reported, kLines);
  EXPECT_EQ(logger->stats().lost_file, reported);
  EXPECT_EQ(logger->stats().written, kept + 2);
}

}  // namespace
}  // namespace ssx::log
