#include "tests/support/child_process.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <string>

#include "tests/support/temp_dir.h"

namespace ssx::test {
namespace {

ChildProcess shell(const std::string& script, ChildProcess::Options options = {}) {
  return ChildProcess::start({"sh", "-c", script}, options);
}

TEST(ChildProcess, KeepsOutputErrorsAndTheExitCode) {
  auto child = shell("echo out; echo err >&2; exit 7");
  const auto exit = child.wait();
  EXPECT_TRUE(exit.ended);
  EXPECT_EQ(exit.code, 7);
  EXPECT_FALSE(exit.clean());
  EXPECT_EQ(child.out(), "out\n");
  EXPECT_EQ(child.err(), "err\n");
}

TEST(ChildProcess, KeepsMoreOutputThanAPipeHolds) {
  auto child = shell("head -c 1000000 /dev/zero | tr '\\0' x");
  EXPECT_TRUE(child.wait().clean());
  EXPECT_EQ(child.out().size(), 1'000'000U);
}

TEST(ChildProcess, WaitsForAWordWhileTheProgramRuns) {
  auto child = shell("echo ready; read line; echo got $line >&2");
  ASSERT_TRUE(child.wait_for_output("ready"));
  EXPECT_TRUE(child.running());
  child.send_input("this\n");
  EXPECT_TRUE(child.wait_for_output("got this"));
  EXPECT_TRUE(child.wait().clean());
  EXPECT_FALSE(child.running());
}

TEST(ChildProcess, AWordThatNeverComesIsFalseAtTheEnd) {
  auto child = shell("echo other");
  EXPECT_FALSE(child.wait_for_output("ready"));
  EXPECT_EQ(child.out(), "other\n");
}

TEST(ChildProcess, SignalsByPid) {
  auto child = shell("echo ready; read line");
  ASSERT_TRUE(child.wait_for_output("ready"));
  child.signal(SIGTERM);
  const auto exit = child.wait();
  EXPECT_EQ(exit.signal, SIGTERM);
  EXPECT_FALSE(exit.clean());
}

TEST(ChildProcess, TheDeadlineEndsAWaitAndTheObjectEndsTheProgram) {
  pid_t pid = 0;
  {
    auto child = shell("read line", {.patience = std::chrono::milliseconds(1)});
    pid = child.pid();
    EXPECT_FALSE(child.wait().ended);
    EXPECT_EQ(::kill(pid, 0), 0);
  }
  EXPECT_EQ(::kill(pid, 0), -1);
  EXPECT_EQ(errno, ESRCH);
}

TEST(ChildProcess, HasItsOwnDirectoryAndEnvironment) {
  const TempDir directory;
  ASSERT_EQ(::setenv("SSX_TEST_GONE", "1", 1), 0);
  auto child =
      shell("pwd -P; echo $SSX_TEST_SET-$SSX_TEST_GONE-", {.directory = directory.path(),
                                                           .environment = {{"SSX_TEST_SET", "yes"}},
                                                           .unset = {"SSX_TEST_GONE"}});
  EXPECT_TRUE(child.wait().clean());
  EXPECT_EQ(child.out(), std::filesystem::canonical(directory.path()).string() + "\nyes--\n");
  ::unsetenv("SSX_TEST_GONE");
}

TEST(ChildProcess, InheritsNoDescriptor) {
  const int ours = ::dup2(STDERR_FILENO, 77);  // without close-on-exec
  ASSERT_EQ(ours, 77);
  auto child = shell("test -e /proc/$$/fd/2 && ! test -e /proc/$$/fd/77");
  EXPECT_TRUE(child.wait().clean());
  ::close(ours);
}

TEST(ChildProcess, ReadsWhatItCosts) {
  auto idle = shell("echo ready; read line");
  auto child = shell(
      "exec 9</dev/null; i=0; while [ $i -lt 200000 ]; do i=$((i+1)); done; echo ready; read line");
  ASSERT_TRUE(idle.wait_for_output("ready"));
  ASSERT_TRUE(child.wait_for_output("ready"));
  EXPECT_GT(child.resident_bytes(), 100'000U);
  EXPECT_LT(child.resident_bytes(), 100'000'000U);
  EXPECT_GT(child.cpu_time().count(), 0);
  EXPECT_EQ(child.open_files(), idle.open_files() + 1);
  EXPECT_EQ(child.threads(), 1U);
  child.send_input("");
  child.wait();
  EXPECT_EQ(child.resident_bytes(), 0U);
  EXPECT_EQ(child.cpu_time().count(), 0);
  EXPECT_EQ(child.open_files(), 0U);
}

TEST(ChildProcessDeathTest, AMissingProgramIsAFailedCheck) {
  EXPECT_EXIT(
      {
        auto child = ChildProcess::start({"./no-such-program"});
        std::exit(HasFailure() && !child.running() ? 3 : 0);
      },
      ::testing::ExitedWithCode(3), "");
}

}  // namespace
}  // namespace ssx::test
