// What can be chosen about the process itself (object `daemon`).
//
// Thread: immutable once validated
// Owner:  ServerConfig
// Life:   that of the daemon
// Bounds: every field says its range
#pragma once

#include <cstdint>
#include <string>

#include "ssxrver/base/clock.h"

namespace ssx {

struct DaemonOptions {
  bool daemonize = false;  ///< `daemonize`, or -d: leave the terminal
  std::string pid_file;    ///< `pid_file`, or -p: written and locked; empty = none
  std::string
      working_directory;  ///< `working_directory`: relative paths start here; empty = as started
  unsigned umask = 022;   ///< `umask`: octal digits as text, "000" .. "777"
  std::uint64_t rlimit_nofile = 0;  ///< `rlimit_nofile`: 0 = up to the hard limit; else 64 .. 2^30
  /// `shutdown_timeout`: how long a drain may take; then what is left is reset.
  std::chrono::milliseconds shutdown_timeout{30000};
  /// `drain_idle_grace`: how long a drain leaves a connection open that waits for a request.
  std::chrono::milliseconds drain_idle_grace{5000};
  bool operator==(const DaemonOptions&) const = default;
};

}  // namespace ssx
