#include "ssxrver/daemon/prepare_process.h"

#include <fmt/core.h>

#include <algorithm>

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

}  // namespace

StartupResult<void> prepare_process(ServerConfig& config) {
  if (const auto set = sys::set_umask(config.daemon.umask); !set) {
    return fail_start(ExitCode::kSystem, fmt::format("daemon.umask: {}", set.error().message()));
  }
  if (auto raised = raise_file_limit(config.daemon.rlimit_nofile); !raised) return raised;
  return enter_folder(config);
}

}  // namespace ssx
