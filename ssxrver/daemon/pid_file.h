// The file that says which process is the daemon, and keeps a second one from starting.
//
// Thread: one thread
// Owner:  Daemon
// Life:   created and locked after the process has left the terminal .. removed at the end
// Bounds: -
#pragma once

#include <optional>
#include <string>

#include "ssxrver/base/startup_error.h"
#include "ssxrver/sys/unique_fd.h"

namespace ssx {

class PidFile {
 public:
  /// Writes this process's id. kUnavailable when a process that lives holds the file.
  static StartupResult<PidFile> create(const std::string& path);
  PidFile(PidFile&&) noexcept = default;
  PidFile& operator=(PidFile&&) noexcept = default;
  ~PidFile();

  /// The id in the file; an error with a sentence when there is none, or nobody holds the file.
  static StartupResult<int> read_owner(const std::string& path);

 private:
  PidFile(std::string path, sys::UniqueFd fd) noexcept
      : path_(std::move(path)), fd_(std::move(fd)) {}

  std::string path_;
  sys::UniqueFd fd_;  ///< holds the lock
};

}  // namespace ssx
