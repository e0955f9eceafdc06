#include "tests/support/child_process.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <system_error>

namespace ssx::test {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kCannotExecute = 127;  // as the shell says it

struct Pipe {
  int read = -1;
  int write = -1;
  Pipe() {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) throw std::system_error(errno, std::generic_category());
    read = ends[0];
    write = ends[1];
  }
};

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> result;
  for (std::string& text : texts) result.push_back(text.data());
  result.push_back(nullptr);
  return result;
}

/// The environment of the test, changed as the options say.
std::vector<std::string> environment_for(const ChildProcess::Options& options) {
  std::vector<std::string> result;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    const std::string_view name = text.substr(0, text.find('='));
    bool kept = true;
    for (const auto& unset : options.unset) kept = kept && name != unset;
    for (const auto& set : options.environment) kept = kept && name != set.first;
    if (kept) result.emplace_back(text);
  }
  for (const auto& [name, value] : options.environment) result.push_back(name + "=" + value);
  return result;
}

/// Runs in the child, between fork and exec: only async-signal-safe calls.
[[noreturn]] void become(const int (&stdio)[3], const char* directory, char** arguments,
                         char** environment, int report) {
  for (int i = 0; i < 3; ++i) ::dup2(stdio[i], i);
  ::close_range(3, ~0U, CLOSE_RANGE_CLOEXEC);  // what the test was started with is not the child's
  sigset_t none;
  sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  ::signal(SIGPIPE, SIG_DFL);
  if (*directory == '\0' || ::chdir(directory) == 0) {
    ::execvpe(arguments[0], arguments, environment);
  }
  const int error = errno;
  [[maybe_unused]] const ssize_t told = ::write(report, &error, sizeof error);
  ::_exit(kCannotExecute);
}

std::string file_text(const std::string& path) {
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

void close_one(int& fd) {
  if (fd >= 0) ::close(std::exchange(fd, -1));
}

}  // namespace

ChildProcess ChildProcess::start(const std::vector<std::string>& command, const Options& options) {
  std::vector<std::string> arguments = command;
  std::vector<std::string> environment = environment_for(options);
  const auto argument_pointers = pointers(arguments);
  const auto environment_pointers = pointers(environment);
  const Pipe in;
  const Pipe out;
  const Pipe err;
  const Pipe report;  // closed by exec; else it brings the errno

  ChildProcess child;
  child.patience_ = options.patience;
  child.pid_ = ::fork();
  if (child.pid_ < 0) throw std::system_error(errno, std::generic_category());
  if (child.pid_ == 0) {
    become({in.read, out.write, err.write}, options.directory.c_str(),
           const_cast<char**>(argument_pointers.data()),
           const_cast<char**>(environment_pointers.data()), report.write);
  }
  for (const int theirs : {in.read, out.write, err.write, report.write}) ::close(theirs);
  child.in_ = in.write;
  child.out_fd_ = out.read;
  child.err_fd_ = err.read;
  for (const int ours : {out.read, err.read}) ::fcntl(ours, F_SETFL, O_NONBLOCK);
  child.watch_ = static_cast<int>(::syscall(SYS_pidfd_open, child.pid_, 0));
  if (child.watch_ < 0) throw std::system_error(errno, std::generic_category());

  int error = 0;
  if (::read(report.read, &error, sizeof error) == sizeof error) {
    ADD_FAILURE() << "cannot start " << command.front() << ": " << std::strerror(error);
    child.wait();
  }
  ::close(report.read);
  return child;
}

ChildProcess::ChildProcess(ChildProcess&& other) noexcept
    : pid_(std::exchange(other.pid_, -1)),
      watch_(std::exchange(other.watch_, -1)),
      in_(std::exchange(other.in_, -1)),
      out_fd_(std::exchange(other.out_fd_, -1)),
      err_fd_(std::exchange(other.err_fd_, -1)),
      out_(std::move(other.out_)),
      err_(std::move(other.err_)),
      exit_(other.exit_),
      patience_(other.patience_) {}

ChildProcess::~ChildProcess() {
  if (pid_ > 0 && !exit_.ended) {
    ::kill(pid_, SIGKILL);
    reap();
  }
  for (int* fd : {&watch_, &in_, &out_fd_, &err_fd_}) close_one(*fd);
}

bool ChildProcess::running() {
  if (exit_.ended) return false;
  pollfd entry{.fd = watch_, .events = POLLIN, .revents = 0};
  return ::poll(&entry, 1, 0) == 0;
}

void ChildProcess::signal(int number) const {
  ASSERT_FALSE(exit_.ended) << "it has ended already: " << err_;
  EXPECT_EQ(::kill(pid_, number), 0) << std::strerror(errno);
}

void ChildProcess::send_input(std::string_view text) {
  const auto before = ::signal(SIGPIPE, SIG_IGN);
  while (!text.empty()) {
    const ssize_t count = ::write(in_, text.data(), text.size());
    if (count < 0 && errno == EINTR) continue;
    EXPECT_GE(count, 0) << std::strerror(errno);
    if (count < 0) break;
    text.remove_prefix(static_cast<std::size_t>(count));
  }
  ::signal(SIGPIPE, before);
  close_one(in_);
}

void ChildProcess::drain(int& fd, std::string& into) const {
  std::array<char, 16384> buffer;
  while (fd >= 0) {
    const ssize_t count = ::read(fd, buffer.data(), buffer.size());
    if (count > 0) {
      into.append(buffer.data(), static_cast<std::size_t>(count));
    } else if (count == 0) {
      close_one(fd);
    } else if (errno != EINTR) {
      return;
    }
  }
}

bool ChildProcess::pump(Deadline deadline) {
  std::array<pollfd, 3> entries{{{.fd = out_fd_, .events = POLLIN, .revents = 0},
                                 {.fd = err_fd_, .events = POLLIN, .revents = 0},
                                 {.fd = watch_, .events = POLLIN, .revents = 0}}};
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now());
  if (left.count() <= 0) return false;
  const int ready = ::poll(entries.data(), entries.size(), static_cast<int>(left.count()));
  if (ready == 0) return false;
  const bool over = (entries[2].revents & POLLIN) != 0;
  drain(out_fd_, out_);  // after the end too: the last words are still in the pipes
  drain(err_fd_, err_);
  if (over) reap();
  return true;
}

void ChildProcess::reap() {
  int status = 0;
  while (::waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
  }
  exit_.ended = true;
  if (WIFEXITED(status)) exit_.code = WEXITSTATUS(status);
  if (WIFSIGNALED(status)) exit_.signal = WTERMSIG(status);
}

bool ChildProcess::wait_for_output(std::string_view text) {
  const Deadline deadline = Clock::now() + patience_;
  const auto seen = [this, text] {
    return out_.find(text) != std::string::npos || err_.find(text) != std::string::npos;
  };
  while (!seen()) {
    if (exit_.ended || !pump(deadline)) return false;
  }
  return true;
}

ChildProcess::Exit ChildProcess::wait() {
  const Deadline deadline = Clock::now() + patience_;
  while (!exit_.ended && pump(deadline)) {
  }
  return exit_;
}

std::size_t ChildProcess::status_number(std::string_view key) const {
  if (exit_.ended) return 0;
  const std::string status = file_text("/proc/" + std::to_string(pid_) + "/status");
  const auto line = status.find("\n" + std::string(key) + ":");
  if (line == std::string::npos) return 0;
  const auto digit = status.find_first_of("0123456789", line);
  std::size_t number = 0;
  std::from_chars(status.data() + digit, status.data() + status.size(), number);
  return number;
}

std::size_t ChildProcess::resident_bytes() const { return status_number("VmRSS") * 1024; }
std::size_t ChildProcess::threads() const { return status_number("Threads"); }

std::chrono::milliseconds ChildProcess::cpu_time() const {
  if (exit_.ended) return {};
  const std::string stat = file_text("/proc/" + std::to_string(pid_) + "/stat");
  // The name in parentheses may hold anything; utime and stime are the 12th and 13th word behind
  // it.
  std::size_t at = stat.rfind(')');
  if (at == std::string::npos) return {};
  for (int word = 0; word < 12; ++word) at = stat.find(' ', at + 1);
  long ticks = 0;
  for (int word = 0; word < 2; ++word) {
    long number = 0;
    std::from_chars(stat.data() + at + 1, stat.data() + stat.size(), number);
    ticks += number;
    at = stat.find(' ', at + 1);
  }
  return std::chrono::milliseconds(ticks * 1000 / ::sysconf(_SC_CLK_TCK));
}

std::size_t ChildProcess::open_files() const {
  if (exit_.ended) return 0;
  std::error_code error;
  const std::filesystem::directory_iterator entries("/proc/" + std::to_string(pid_) + "/fd", error);
  return error ? 0 : static_cast<std::size_t>(std::distance(begin(entries), end(entries)));
}

}  // namespace ssx::test
