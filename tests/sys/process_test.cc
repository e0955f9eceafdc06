#include "ssxrver/sys/process.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

#include "ssxrver/sys/unique_fd.h"
#include "tests/sys/fails_with.h"
#include "tests/sys/refuse_call.h"

namespace ssx::sys {
namespace {

TEST(Process, KnowsWhoItIs) {
  EXPECT_EQ(process_id(), ::getpid());
  EXPECT_EQ(parent_process_id(), ::getppid());
  EXPECT_EQ(effective_user(), ::geteuid());
}

TEST(Process, EveryThreadHasItsOwnIdAndKeepsIt) {
  const int mine = thread_id();
  EXPECT_EQ(mine, ::gettid());
  EXPECT_EQ(thread_id(), mine);
  int theirs = 0;
  std::thread([&theirs] { theirs = thread_id(); }).join();
  EXPECT_NE(theirs, mine);
}

TEST(Process, TheFileLimitIsReadAndSet) {
  const FileLimit before = file_limit().value();
  EXPECT_LE(before.soft, before.hard);
  ASSERT_TRUE(set_file_limit({before.soft - 1, before.hard}));
  EXPECT_EQ(file_limit().value().soft, before.soft - 1);
  ASSERT_TRUE(set_file_limit(before));
  EXPECT_TRUE(fails_with(set_file_limit({before.hard, before.hard - 1}), EINVAL, "set_file_limit"));
}

TEST(Process, ProcessorTimeIsThatOfAllItsThreads) {
  const Duration before = processor_time(process_id()).value();
  std::thread([] {
    const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(50);
    while (std::chrono::steady_clock::now() < end) {
    }
  }).join();
  EXPECT_GT(processor_time(process_id()).value() - before, std::chrono::milliseconds(5));
  EXPECT_TRUE(fails_with(processor_time(4'194'304), ESRCH, "processor_time"));
}

TEST(Process, DaemonizeLeavesTheSessionAndTheTerminal) {
  int report[2];
  ASSERT_EQ(::pipe(report), 0);
  const UniqueFd from(report[0]);
  UniqueFd to(report[1]);
  const int parent_exit = in_child([&to] {
    const int first = thread_id();  // cached before the fork: must not survive it
    if (!daemonize()) return 1;
    struct stat null {};
    struct stat out {};
    ::stat("/dev/null", &null);
    ::fstat(STDOUT_FILENO, &out);
    const std::array<char, 4> facts{
        ::getsid(0) == ::getpid() ? 's' : '-', out.st_rdev == null.st_rdev ? 'n' : '-',
        thread_id() == ::gettid() ? 't' : '-', first != ::gettid() ? 'f' : '-'};
    return ::write(to.get(), facts.data(), facts.size()) == 4 ? 0 : 2;
  });
  EXPECT_EQ(parent_exit, 0);
  to.reset();
  std::array<char, 4> facts{};
  EXPECT_EQ(::read(from.get(), facts.data(), facts.size()), 4);
  EXPECT_EQ(std::string(facts.data(), facts.size()), "sntf");
}

TEST(Process, DaemonizeFailsBeforeAnythingHasChanged) {
  EXPECT_EQ(in_child([] {
              const FileLimit before = file_limit().value();
              if (!set_file_limit({0, before.hard})) return 1;
              const auto result = daemonize();
              // UBSan's look at the category's virtual table needs a descriptor.
              if (!set_file_limit(before)) return 3;
              return !result && result.error().is_errno(EMFILE) ? 7 : 2;
            }),
            7);
}

TEST(Process, TheUmaskIsSet) {
  const mode_t before = ::umask(0);
  ASSERT_TRUE(set_umask(027));
  EXPECT_EQ(::umask(before), 027U);
}

TEST(Process, KillReachesAProcessOrSaysWhyNot) {
  EXPECT_TRUE(kill(process_id(), 0));
  const pid_t gone = ::fork();
  if (gone == 0) ::_exit(0);
  ::waitpid(gone, nullptr, 0);
  EXPECT_TRUE(fails_with(kill(gone, 0), ESRCH, "kill"));
  EXPECT_TRUE(fails_with(kill(process_id(), 1000), EINVAL, "kill"));
}

TEST(Process, AQueuedSignalCarriesANumber) {
  EXPECT_TRUE(queue_signal(process_id(), 0, 7));
  EXPECT_TRUE(fails_with(queue_signal(process_id(), 1000, 7), EINVAL, "queue_signal"));
}

volatile sig_atomic_t signalled_thread = 0;

void note_thread(int) { signalled_thread = ::gettid(); }

TEST(Process, ASignalReachesTheThreadThatItIsFor) {
  struct sigaction action {};
  action.sa_handler = note_thread;
  const struct sigaction before = set_signal_action(SIGUSR2, action).value();
  ASSERT_TRUE(signal_thread(thread_id(), SIGUSR2));
  EXPECT_EQ(signalled_thread, ::gettid());
  int gone = 0;
  std::thread([&gone] { gone = thread_id(); }).join();
  EXPECT_TRUE(fails_with(signal_thread(gone, SIGUSR2), ESRCH, "signal_thread"));
  ASSERT_TRUE(set_signal_action(SIGUSR2, before));
}

TEST(Process, ASignalComesLaterWithoutAnyThreadsHelp) {
  const pid_t child = ::fork();
  if (child == 0) {
    if (!signal_later(SIGTERM, std::chrono::milliseconds(20))) ::_exit(1);
    for (;;) ::pause();
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM) << status;
  EXPECT_TRUE(fails_with(signal_later(1000, std::chrono::seconds(1)), EINVAL, "signal_later"));
}

TEST(Process, BlockedSignalsWaitAndThreadsInheritIt) {
  EXPECT_EQ(in_child([] {
              sigset_t signals;
              sigemptyset(&signals);
              sigaddset(&signals, SIGTERM);
              if (!block_signals(signals)) return 1;
              ::raise(SIGTERM);  // would end the child
              bool inherited = false;
              std::thread([&inherited] {
                sigset_t mask;
                ::pthread_sigmask(SIG_SETMASK, nullptr, &mask);
                inherited = ::sigismember(&mask, SIGTERM) == 1;
              }).join();
              sigset_t waiting;
              ::sigpending(&waiting);
              return inherited && ::sigismember(&waiting, SIGTERM) == 1 ? 7 : 2;
            }),
            7);
}

TEST(Process, AnIgnoredSignalDoesNothing) {
  EXPECT_EQ(in_child([] {
              if (!ignore_signal(SIGTERM)) return 1;
              ::raise(SIGTERM);
              return 7;
            }),
            7);
  EXPECT_TRUE(fails_with(ignore_signal(SIGKILL), EINVAL, "ignore_signal"));
}

volatile sig_atomic_t handled_on_stack = 0;
std::array<std::byte, 64 * 1024> alternate_stack;

void note_stack(int) {
  // Not a local variable: AddressSanitizer may keep those elsewhere.
  const auto* const here = static_cast<const std::byte*>(__builtin_frame_address(0));
  const bool inside =
      here >= alternate_stack.data() && here < alternate_stack.data() + alternate_stack.size();
  handled_on_stack = inside ? 1 : 2;
}

TEST(Process, AHandlerRunsOnTheAlternateStack) {
  ASSERT_TRUE(set_alternate_stack(alternate_stack));
  struct sigaction action {};
  action.sa_handler = note_stack;
  action.sa_flags = SA_ONSTACK;
  const auto before = set_signal_action(SIGUSR1, action).value();
  EXPECT_EQ(before.sa_handler, SIG_DFL);
  ::raise(SIGUSR1);
  EXPECT_EQ(handled_on_stack, 1);
  ASSERT_TRUE(set_alternate_stack({}));
  ::raise(SIGUSR1);
  EXPECT_EQ(handled_on_stack, 2);
  const auto ours = set_signal_action(SIGUSR1, before).value();
  EXPECT_EQ(ours.sa_handler, note_stack);
}

TEST(Process, SignalActionsAndStacksThatCannotBe) {
  const struct sigaction action {};
  EXPECT_TRUE(fails_with(set_signal_action(SIGSTOP, action), EINVAL, "set_signal_action"));
  EXPECT_TRUE(fails_with(set_alternate_stack(MutableBytes(alternate_stack).first(1)), ENOMEM,
                         "set_alternate_stack"));
}

TEST(Process, AThreadRunsOnTheCoreItIsPinnedTo) {
  const auto cores = allowed_cores().value();
  ASSERT_FALSE(cores.empty());
  EXPECT_TRUE(std::ranges::is_sorted(cores));
  for (const unsigned core : cores) {
    std::thread([core] {
      ASSERT_TRUE(pin_thread(core));
      EXPECT_EQ(::sched_getcpu(), static_cast<int>(core));
      EXPECT_EQ(allowed_cores().value(), std::vector<unsigned>{core});
    }).join();
  }
}

TEST(Process, AThreadWaitsForItsTurn) {
  std::thread([] {
    ASSERT_TRUE(wait_for_turn(true));
    EXPECT_EQ(::sched_getscheduler(0), SCHED_BATCH);
    yield_thread();
    ASSERT_TRUE(wait_for_turn(false));
    EXPECT_EQ(::sched_getscheduler(0), SCHED_OTHER);
  }).join();
}

TEST(Process, AThreadOfAnotherPolicyKeepsIt) {
  std::thread([] {
    const sched_param none{};
    ASSERT_EQ(::sched_setscheduler(0, SCHED_IDLE, &none), 0);
    ASSERT_TRUE(wait_for_turn(true));
    EXPECT_EQ(::sched_getscheduler(0), SCHED_IDLE);
  }).join();
}

TEST(Process, ACoreThatDoesNotExistIsAnError) {
  for (const unsigned core : {100'000U, 1U << 20, ~0U}) {
    EXPECT_TRUE(fails_with(pin_thread(core), EINVAL, "pin_thread")) << core;
  }
}

TEST(Process, AThreadKeepsTheFirstFifteenBytesOfItsName) {
  std::thread([] {
    std::array<char, 32> name{};
    for (const char* wanted : {"a", "fifteen-bytes-x", "sixteen-bytes-xy", ""}) {
      name_thread(wanted);
      ASSERT_EQ(::pthread_getname_np(::pthread_self(), name.data(), name.size()), 0);
      EXPECT_EQ(std::string(name.data()), std::string(wanted).substr(0, 15));
    }
  }).join();
}

TEST(Process, RandomBytesFillEverythingAndDiffer) {
  std::vector<std::byte> first(1000);  // getrandom may stop at 256 when a signal comes
  std::vector<std::byte> second(1000);
  ASSERT_TRUE(random_bytes(first));
  ASSERT_TRUE(random_bytes(second));
  EXPECT_NE(first, second);
  const auto tail_is_zero = [](const auto& bytes) {
    return std::ranges::all_of(bytes.end() - 16, bytes.end(),
                               [](std::byte b) { return b == std::byte{}; });
  };
  EXPECT_FALSE(tail_is_zero(first));
  EXPECT_TRUE(random_bytes({}));
}

TEST(Process, TheEnvironmentIsReadAndCleared) {
  ASSERT_EQ(::setenv("SSX_TEST_NAME", "value", 1), 0);
  EXPECT_EQ(environment("SSX_TEST_NAME"), "value");
  ASSERT_TRUE(unset_environment("SSX_TEST_NAME"));
  EXPECT_EQ(environment("SSX_TEST_NAME"), "");
  EXPECT_TRUE(fails_with(unset_environment("A=B"), EINVAL, "unset_environment"));
}

TEST(Process, APipeIsNoTerminalAndAPseudoTerminalIs) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  const UniqueFd reader(ends[0]);
  const UniqueFd writer(ends[1]);
  EXPECT_FALSE(is_terminal(reader.get()));
  EXPECT_FALSE(is_terminal(-1));
  const UniqueFd terminal(::posix_openpt(O_RDWR | O_NOCTTY));
  ASSERT_TRUE(terminal);
  EXPECT_TRUE(is_terminal(terminal.get()));
}

}  // namespace
}  // namespace ssx::sys
