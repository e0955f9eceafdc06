#include "ssxrver/sys/process.h"

#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstring>

#include "ssxrver/sys/internal.h"
#include "ssxrver/sys/unique_fd.h"

namespace ssx::SSX_SYS_NAMESPACE {

using sys::internal::done;
using sys::internal::retry;

namespace {

thread_local int cached_thread_id = 0;

/// The pthread functions return the error instead of setting errno.
Result<void> done_thread(int error, const char* where) {
  if (error != 0) return fail_errno(error, where);
  return {};
}

/// A set of cores as large as asked for: the fixed cpu_set_t ends at 1024.
class CoreSet {
 public:
  explicit CoreSet(std::size_t cores) : words_((cores + kBitsPerWord - 1) / kBitsPerWord, 0) {}

  [[nodiscard]] std::size_t cores() const { return words_.size() * kBitsPerWord; }
  [[nodiscard]] std::size_t bytes() const { return words_.size() * sizeof(unsigned long); }
  [[nodiscard]] cpu_set_t* get() { return reinterpret_cast<cpu_set_t*>(words_.data()); }
  void add(std::size_t core) { words_[core / kBitsPerWord] |= 1UL << (core % kBitsPerWord); }
  [[nodiscard]] bool has(std::size_t core) const {
    return (words_[core / kBitsPerWord] >> (core % kBitsPerWord) & 1UL) != 0;
  }

 private:
  static constexpr std::size_t kBitsPerWord = 8 * sizeof(unsigned long);
  std::vector<unsigned long> words_;
};

/// The kernel answers EINVAL to a set smaller than its own, which is at most this many cores.
constexpr std::size_t kCoresMax = std::size_t{1} << 20;

}  // namespace

int process_id() noexcept { return ::getpid(); }
int parent_process_id() noexcept { return ::getppid(); }

int thread_id() noexcept {
  if (cached_thread_id == 0) cached_thread_id = ::gettid();
  return cached_thread_id;
}

unsigned effective_user() noexcept { return ::geteuid(); }

Result<FileLimit> file_limit() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return fail_errno(errno, "file_limit");
  return FileLimit{limit.rlim_cur, limit.rlim_max};
}

Result<void> set_file_limit(FileLimit limit) {
  const rlimit wanted{.rlim_cur = limit.soft, .rlim_max = limit.hard};
  return done(::setrlimit(RLIMIT_NOFILE, &wanted), "set_file_limit");
}

Result<Duration> processor_time(int process) {
  clockid_t clock{};
  if (const int error = ::clock_getcpuclockid(process, &clock); error != 0) {
    return fail_errno(error, "processor_time");
  }
  timespec time{};
  if (::clock_gettime(clock, &time) != 0) return fail_errno(errno, "processor_time");
  return std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
}

Result<void> daemonize() {
  // Opened before the fork: a failure must still find the caller's terminal.
  const UniqueFd null(::open("/dev/null", O_RDWR | O_CLOEXEC));
  if (!null) return fail_errno(errno, "daemonize");
  const pid_t child = ::fork();
  if (child < 0) return fail_errno(errno, "daemonize");
  if (child > 0) ::_exit(0);  // without atexit: the handlers belong to the child now

  cached_thread_id = 0;
  if (::setsid() < 0) return fail_errno(errno, "daemonize");
  for (const int stdio : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (retry([&] { return ::dup2(null.get(), stdio); }) < 0) return fail_errno(errno, "daemonize");
  }
  return {};
}

Result<void> set_umask(unsigned mask) {
  ::umask(mask);
  return {};
}

Result<void> kill(int process, int signal) { return done(::kill(process, signal), "kill"); }

Result<void> queue_signal(int process, int signal, int value) {
  sigval given{};
  given.sival_int = value;
  return done(::sigqueue(process, signal, given), "queue_signal");
}

Result<void> signal_thread(int thread, int signal) {
  return done(::tgkill(::getpid(), thread, signal), "signal_thread");
}

Result<void> signal_later(int signal, Duration delay) {
  sigevent event{};
  event.sigev_notify = SIGEV_SIGNAL;
  event.sigev_signo = signal;
  timer_t timer{};
  if (::timer_create(CLOCK_MONOTONIC, &event, &timer) != 0)
    return fail_errno(errno, "signal_later");
  const auto whole = std::chrono::floor<std::chrono::seconds>(delay);
  itimerspec when{};
  when.it_value.tv_sec = whole.count();
  when.it_value.tv_nsec = (delay - whole).count();
  return done(::timer_settime(timer, 0, &when, nullptr), "signal_later");
}

Result<void> block_signals(const sigset_t& signals) {
  return done_thread(::pthread_sigmask(SIG_BLOCK, &signals, nullptr), "block_signals");
}

Result<void> ignore_signal(int signal) {
  struct sigaction action {};
  action.sa_handler = SIG_IGN;
  return done(::sigaction(signal, &action, nullptr), "ignore_signal");
}

Result<struct sigaction> set_signal_action(int signal, const struct sigaction& action) {
  struct sigaction before {};
  if (::sigaction(signal, &action, &before) != 0) return fail_errno(errno, "set_signal_action");
  return before;
}

Result<void> set_alternate_stack(MutableBytes stack) {
  stack_t alternate{};
  alternate.ss_sp = stack.data();
  alternate.ss_size = stack.size();
  alternate.ss_flags = stack.empty() ? SS_DISABLE : 0;
  return done(::sigaltstack(&alternate, nullptr), "set_alternate_stack");
}

Result<std::vector<unsigned>> allowed_cores() {
  for (std::size_t cores = CPU_SETSIZE; cores <= kCoresMax; cores *= 2) {
    CoreSet set(cores);
    if (::sched_getaffinity(0, set.bytes(), set.get()) != 0) {
      if (errno == EINVAL) continue;
      return fail_errno(errno, "allowed_cores");
    }
    std::vector<unsigned> allowed;
    for (std::size_t core = 0; core < set.cores(); ++core) {
      if (set.has(core)) allowed.push_back(static_cast<unsigned>(core));
    }
    return allowed;
  }
  return fail_errno(EINVAL, "allowed_cores");
}

Result<void> pin_thread(unsigned core) {
  if (core >= kCoresMax) return fail_errno(EINVAL, "pin_thread");
  CoreSet set(std::size_t{core} + 1);
  set.add(core);
  return done(::sched_setaffinity(0, set.bytes(), set.get()), "pin_thread");
}

Result<void> wait_for_turn(bool waits) {
  const int policy = ::sched_getscheduler(0);
  if (policy != SCHED_OTHER && policy != SCHED_BATCH) return {};
  const sched_param none{};
  return done(::sched_setscheduler(0, waits ? SCHED_BATCH : SCHED_OTHER, &none), "wait_for_turn");
}

void yield_thread() noexcept { (void)::sched_yield(); }

void name_thread(const char* name) noexcept {
  std::array<char, 16> kept{};  // TASK_COMM_LEN, with the zero; a longer name is ERANGE
  std::memcpy(kept.data(), name, ::strnlen(name, kept.size() - 1));
  ::pthread_setname_np(::pthread_self(), kept.data());
}

Result<void> random_bytes(MutableBytes into) {
  while (!into.empty()) {
    const ssize_t count = retry([&] { return ::getrandom(into.data(), into.size(), 0); });
    if (count < 0) return fail_errno(errno, "random_bytes");
    into = into.subspan(static_cast<std::size_t>(count));
  }
  return {};
}

std::string environment(const char* name) {
  const char* const value = ::getenv(name);
  return value == nullptr ? std::string() : std::string(value);
}

Result<void> unset_environment(const char* name) {
  return done(::unsetenv(name), "unset_environment");
}

bool is_terminal(int fd) noexcept { return ::isatty(fd) == 1; }

}  // namespace ssx::SSX_SYS_NAMESPACE
