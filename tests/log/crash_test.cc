#include "ssxrver/log/crash.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sys/syscall.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <thread>

#include "ssxrver/base/log.h"
#include "ssxrver/log/logger.h"
#include "tests/log/log_folder.h"

namespace ssx::log {
namespace {

using testing::AllOf;
using testing::HasSubstr;

/// The child process is started anew for each death test, so it makes its own logger; what it wrote
/// is looked at by the parent, in a folder that both know.
class CrashDeathTest : public testing::Test {
 protected:
  CrashDeathTest() {
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    // Inherited by the child, which finds it set.
    ::setenv(kUnique, std::to_string(::getpid()).c_str(), 0);
    std::filesystem::remove_all(folder());
  }
  ~CrashDeathTest() override {
    if (!in_child_) std::filesystem::remove_all(folder());
  }

  static std::string folder() {
    const auto* const test = testing::UnitTest::GetInstance()->current_test_info();
    return (std::filesystem::temp_directory_path() /
            (std::string("ssx-crash-") + test->name() + "-" + ::getenv(kUnique)))
        .string();
  }

  void install() {
    in_child_ = true;
    LogOptions options;
    options.async = true;
    options.path = folder();
    options.pattern = "%v";
    options.console = console_;
    options.flush = std::chrono::seconds(3600);
    auto logger = Logger::install(options);
    ASSERT_TRUE(logger);
    logger_ = *std::move(logger);
  }

  static std::string logged() {
    std::string all;
    for (const auto& entry : std::filesystem::directory_iterator(folder())) {
      std::ifstream file(entry.path());
      all.append(std::istreambuf_iterator<char>(file), {});
    }
    return all;
  }

  static constexpr const char* kUnique = "SSX_CRASH_TEST";
  bool in_child_ = false;
  bool console_ = false;
  std::unique_ptr<Logger> logger_;
};

// The sanitizer would report this in its own way, before the kernel does.
__attribute__((noinline, no_sanitize("undefined"))) void fault() {
  volatile int* volatile nowhere = nullptr;
  *nowhere = 1;
}

// The frame must really be used, or the compiler makes a loop of it.
[[gnu::noinline]] int overflow(volatile char* above, int depth) {
  if (depth < 0) return 0;
  volatile char here[4096];
  here[0] = above == nullptr ? '\0' : above[0];
  here[4095] = static_cast<char>(depth);
  return overflow(here, depth + 1) + here[4095];
}

TEST_F(CrashDeathTest, SegmentationFaultSavesTheLastLines) {
  EXPECT_DEATH(
      {
        install();
        for (int i = 0; i < 1000; ++i) SSX_LOG_INFO("line {}", i);
        fault();
      },
      "");
  EXPECT_THAT(logged(), AllOf(HasSubstr("line 0\n"), HasSubstr("line 999\n"),
                              HasSubstr("SIGSEGV in thread ")));
}

TEST_F(CrashDeathTest, AbortSavesTheLastLines) {
  EXPECT_DEATH(
      {
        install();
        SSX_LOG_INFO("before");
        std::abort();
      },
      "");
  EXPECT_THAT(logged(), AllOf(HasSubstr("before\n"), HasSubstr("SIGABRT in thread ")));
}

TEST_F(CrashDeathTest, StackOverflowSavesTheLastLines) {
  EXPECT_DEATH(
      {
        install();
        std::thread([] {
          SSX_LOG_INFO("deep");
          std::exit(overflow(nullptr, 0));
        }).join();
      },
      "");
  EXPECT_THAT(logged(), AllOf(HasSubstr("deep\n"), HasSubstr("SIGSEGV in thread ")));
}

TEST_F(CrashDeathTest, SignalFromOutsideIsRaisedAgain) {
  EXPECT_DEATH(
      {
        install();
        SSX_LOG_INFO("before");
        std::raise(SIGFPE);
      },
      "");
  EXPECT_THAT(logged(), AllOf(HasSubstr("before\n"), HasSubstr("SIGFPE in thread ")));
}

/// Kernel id of the thread with this name.
pid_t thread_named(const std::string& wanted) {
  for (const auto& task : std::filesystem::directory_iterator("/proc/self/task")) {
    std::ifstream file(task.path() / "comm");
    std::string name;
    std::getline(file, name);
    if (name == wanted) return std::stoi(task.path().filename().string());
  }
  return 0;
}

TEST_F(CrashDeathTest, RawRecordsGoOutWhenTheBackEndItselfCrashes) {
  EXPECT_DEATH(
      {
        install();
        for (int i = 0; i < 2000; ++i) SSX_LOG_INFO("line {} end", i);
        ::syscall(SYS_tgkill, ::getpid(), thread_named("ssx-log"), SIGSEGV);
        for (;;) ::pause();
      },
      "");
  const std::string all = logged();
  EXPECT_THAT(all, HasSubstr("RAW FATAL "));
  for (int i = 0; i < 2000; ++i) {
    const std::string number = std::to_string(i);
    const bool formatted = all.find("line " + number + " end\n") != std::string::npos;
    const bool raw = all.find("line {} end | " + number + "\n") != std::string::npos;
    ASSERT_TRUE(formatted != raw) << i << " formatted " << formatted << " raw " << raw;
  }
}

// A back end that hangs: in a console that nobody reads, for the pipe is full.
TEST_F(CrashDeathTest, WaitsAtMostASecondForABackEndThatHangs) {
  const auto start = std::chrono::steady_clock::now();
  EXPECT_DEATH(
      {
        int pipe[2];
        ASSERT_EQ(::pipe(pipe), 0);
        ASSERT_EQ(::dup2(pipe[1], 1), 1);
        console_ = true;
        install();
        for (int i = 0; i < 5000; ++i) SSX_LOG_INFO("line {} end", i);
        std::abort();
      },
      "");
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(20));
  const std::string all = logged();
  EXPECT_THAT(all, HasSubstr("SIGABRT"));
  for (int i = 0; i < 5000; ++i) {
    const std::string number = std::to_string(i);
    ASSERT_TRUE(all.find("line " + number + " end\n") != std::string::npos ||
                all.find("line {} end | " + number + "\n") != std::string::npos)
        << i;
  }
}

TEST(Crash, HasNamesForItsSignals) {
  EXPECT_STREQ(signal_name(SIGSEGV), "SIGSEGV");
  EXPECT_STREQ(signal_name(SIGABRT), "SIGABRT");
  EXPECT_STREQ(signal_name(SIGTERM), "signal");
}

}  // namespace
}  // namespace ssx::log
