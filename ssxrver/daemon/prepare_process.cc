#include "ssxrver/daemon/prepare_process.h"

#include <fmt/core.h>

#include <algorithm>

#include "ssxrver/net/connection_limits.h"
#include "ssxrver/sys/file.h"
#include "ssxrver/sys/process.h"

namespace ssx {
namespace {

StartupResult<void> enter_folder(ServerConfig& config) {
  const std::string& wanted = config.daemon.working_directory;
  if (!wanted.empty()) {
    if (const auto entered = sys::chdir(wanted.c_str()); !entered) {
      return fail_start(ExitCode::kNoInput, fmt::format("daemon.working_directory \"{}\": {}",
                                                        wanted, entered.error().code().message()));
    }
  }
  const auto here = sys::getcwd();
  if (!here)
    return fail_start(ExitCode::kSystem,
                      fmt::format("the working directory: {}", here.error().message()));
  config.make_paths_absolute(*here);
  return {};
}

// Every connection is a descriptor, and the default soft limit is 1024.
StartupResult<void> raise_file_limit(std::uint64_t wanted) {
  const auto limit = sys::file_limit();
  if (!limit) return fail_start(ExitCode::kSystem, limit.error().message());
  if (wanted > limit->hard && sys::effective_user() != 0) {
    return fail_start(
        ExitCode::kNoPermission,
        fmt::format("daemon.rlimit_nofile {}: the hard limit is {}; raise it (ulimit -Hn, "
                    "LimitNOFILE=) or ask for less",
                    wanted, limit->hard));
  }
  const std::uint64_t soft = wanted == 0 ? limit->hard : wanted;
  if (const auto set = sys::set_file_limit({soft, std::max(soft, limit->hard)}); !set) {
    return fail_start(ExitCode::kSystem,
                      fmt::format("daemon.rlimit_nofile: {}", set.error().message()));
  }
  return {};
}

// A limit that cannot be met would be told to clients, one by one, and not to whoever set it.
StartupResult<void> check_connections(std::int64_t connections) {
  const auto limit = sys::file_limit();
  if (!limit) return fail_start(ExitCode::kSystem, limit.error().message());
  if (connections < 0) return {};
  const std::uint64_t files =
      static_cast<std::uint64_t>(connections) + net::ConnectionLimits::kReservedFiles;
  if (files <= limit->soft) return {};
  return fail_start(ExitCode::kConfig,
                    fmt::format("limits.connections {} needs {} open files, and the limit is {}; "
                                "raise it (ulimit -Hn, LimitNOFILE=, daemon.rlimit_nofile) or ask "
                                "for less",
                                connections, files, limit->soft));
}

}  // namespace

StartupResult<void> prepare_process(ServerConfig& config) {
  if (const auto set = sys::set_umask(config.daemon.umask); !set) {
    return fail_start(ExitCode::kSystem, fmt::format("daemon.umask: {}", set.error().message()));
  }
  if (auto raised = raise_file_limit(config.daemon.rlimit_nofile); !raised) return raised;
  if (auto met = check_connections(config.workers.connections); !met) return met;
  return enter_folder(config);
}

}  // namespace ssx
