// Why the program does not start: sentences for the operator, and the exit code of sysexits.h.
//
// Thread: a value
// Owner:  whoever holds it; main prints it once
// Life:   from the failed step to the end of main
// Bounds: none of its own; the configuration reader stops after kProblemsMax problems
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "ssxrver/base/result.h"

namespace ssx {

/// Exit codes of sysexits.h, by our own names (that header is a row of macros).
enum class ExitCode : int {
  kOk = 0,
  kUsage = 64,         ///< the command line
  kNoInput = 66,       ///< a file that must be read is missing or unreadable
  kNoUser = 67,        ///< a user or group that does not exist
  kUnavailable = 69,   ///< something needed is in use or not there: a port, a running daemon
  kSoftware = 70,      ///< our own fault
  kSystem = 71,        ///< the operating system refused: threads, descriptors, fork
  kCannotCreate = 73,  ///< a file that must be written: pid file, log, socket
  kNoPermission = 77,  ///< rights are missing, for instance a port below 1024
  kConfig = 78,        ///< the configuration
};

/// Each sentence says what is wrong and what to do about it, and stands on a line of its own.
class [[nodiscard]] StartupError {
 public:
  StartupError(ExitCode code, std::string sentence) : code_(code) {
    sentences_.push_back(std::move(sentence));
  }
  StartupError(ExitCode code, std::vector<std::string> sentences)
      : code_(code), sentences_(std::move(sentences)) {}

  [[nodiscard]] ExitCode code() const noexcept { return code_; }
  /// For main: `return error.exit_status();`
  [[nodiscard]] int exit_status() const noexcept { return static_cast<int>(code_); }
  [[nodiscard]] const std::vector<std::string>& sentences() const noexcept { return sentences_; }

  /// All sentences, one per line, without a newline at the end.
  [[nodiscard]] std::string text() const {
    std::string joined;
    for (const auto& sentence : sentences_) {
      if (!joined.empty()) joined += '\n';
      joined += sentence;
    }
    return joined;
  }

 private:
  ExitCode code_;
  std::vector<std::string> sentences_;
};

/// What a step of the start gives: a value, or the sentences for the operator.
template <class T>
using StartupResult = Expected<T, StartupError>;

/// `return fail_start(ExitCode::kUnavailable, "port 80 is taken: choose another with -g port=N");`
inline UnexpectedOf<StartupError> fail_start(ExitCode code, std::string sentence) {
  return UnexpectedOf<StartupError>(StartupError(code, std::move(sentence)));
}

}  // namespace ssx
