// A program that a test starts: its output, its end, and what it costs.
//
//   auto server = ChildProcess::start({path, "-f", config});
//   ASSERT_TRUE(server.wait_for_output("listening on"));
//   server.signal(SIGTERM);
//   EXPECT_EQ(server.wait().code, 0);
//
// Thread: one thread at a time
// Owner:  the test
// Life:   whatever still runs when the object ends is killed (by its pid) and reaped
// Bounds: every wait has a deadline
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ssx::test {

class ChildProcess {
 public:
  struct Options {
    std::string directory = {};  ///< "": the test's own
    std::vector<std::pair<std::string, std::string>> environment =
        {};                                      ///< on top of the test's own
    std::vector<std::string> unset = {};         ///< taken out of it
    std::chrono::milliseconds patience{20'000};  ///< for every wait
  };

  struct Exit {
    bool ended = false;  ///< false: the deadline came first
    int code = -1;       ///< exit code, when it ended by itself
    int signal = 0;      ///< the signal that ended it, else 0
    [[nodiscard]] bool clean() const noexcept { return ended && signal == 0 && code == 0; }
  };

  /// `command[0]` is a path, or a name that is looked up in PATH. A program that cannot be started
  /// is a failed check, and a child that has ended.
  static ChildProcess start(const std::vector<std::string>& command) {
    return start(command, Options());
  }
  static ChildProcess start(const std::vector<std::string>& command, const Options& options);

  ChildProcess(ChildProcess&& other) noexcept;
  ChildProcess& operator=(ChildProcess&& other) = delete;
  ~ChildProcess();

  [[nodiscard]] pid_t pid() const noexcept { return pid_; }
  [[nodiscard]] bool running();
  void signal(int number) const;
  /// Writes to its standard input, and ends that.
  void send_input(std::string_view text);

  /// Reads its output until `text` stands in out() or err(). False when it ends or the time is up.
  [[nodiscard]] bool wait_for_output(std::string_view text);
  /// Reads its output until it ends, then reaps it.
  Exit wait();

  /// What it has printed so far.
  [[nodiscard]] const std::string& out() const noexcept { return out_; }
  [[nodiscard]] const std::string& err() const noexcept { return err_; }

  // What it costs, from /proc; 0 when it has ended.
  [[nodiscard]] std::size_t resident_bytes() const;
  [[nodiscard]] std::chrono::milliseconds cpu_time() const;  ///< user and system
  [[nodiscard]] std::size_t open_files() const;
  [[nodiscard]] std::size_t threads() const;

 private:
  using Deadline = std::chrono::steady_clock::time_point;

  ChildProcess() = default;
  /// One wait for output or the end; false when the time is up.
  bool pump(Deadline deadline);
  void drain(int& fd, std::string& into) const;
  void reap();
  [[nodiscard]] std::size_t status_number(std::string_view key) const;

  pid_t pid_ = -1;
  int watch_ = -1;  ///< pidfd: readable at the end
  int in_ = -1;
  int out_fd_ = -1;
  int err_fd_ = -1;
  std::string out_;
  std::string err_;
  Exit exit_;
  std::chrono::milliseconds patience_{0};
};

}  // namespace ssx::test
