#include "ssxrver/daemon/pid_file.h"

#include <fmt/core.h>

#include <array>
#include <cerrno>
#include <utility>

#include "ssxrver/base/strings.h"
#include "ssxrver/sys/file.h"
#include "ssxrver/sys/process.h"

namespace ssx {
namespace {

std::optional<int> read_number(int fd) {
  std::array<std::byte, 32> raw;
  const auto count = sys::pread(fd, raw, 0);
  if (!count) return std::nullopt;
  std::string_view text = as_text(ByteView(raw).first(*count));
  if (text.ends_with('\n')) text.remove_suffix(1);
  const auto number = parse_uint(text);
  if (!number || *number == 0 || *number > INT32_MAX) return std::nullopt;
  return static_cast<int>(*number);
}

}  // namespace

StartupResult<PidFile> PidFile::create(const std::string& path) {
  auto fd = sys::open(path.c_str(), O_RDWR | O_CREAT | O_NOFOLLOW, 0644);
  if (!fd) {
    return fail_start(ExitCode::kCannotCreate,
                      fmt::format("pid file {}: {}; choose another with daemon.pid_file or -p",
                                  path, fd.error().code().message()));
  }
  if (const auto locked = sys::lock_exclusive(fd->get()); !locked) {
    return fail_start(
        ExitCode::kUnavailable,
        fmt::format("process {} is running with pid file {}: stop it with -s stop, or choose "
                    "another pid file with -p",
                    read_number(fd->get()).value_or(0), path));
  }
  const std::string text = std::to_string(sys::process_id()) + '\n';
  if (!sys::ftruncate(fd->get(), 0) || !sys::pwrite(fd->get(), as_bytes(text), 0)) {
    return fail_start(ExitCode::kCannotCreate, fmt::format("pid file {} cannot be written", path));
  }
  return PidFile(path, *std::move(fd));
}

PidFile::~PidFile() {
  if (fd_) (void)sys::unlink(path_.c_str());
}

StartupResult<int> PidFile::read_owner(const std::string& path) {
  const auto fd = sys::open(path.c_str(), O_RDONLY);
  if (!fd) {
    return fail_start(ExitCode::kUnavailable,
                      fmt::format("pid file {}: {}: is the daemon running, and with this pid file?",
                                  path, fd.error().code().message()));
  }
  const auto number = read_number(fd->get());
  if (!number)
    return fail_start(ExitCode::kUnavailable, fmt::format("pid file {} holds no process id", path));
  if (sys::lock_exclusive(fd->get())) {  // a daemon that lives holds the lock
    return fail_start(
        ExitCode::kUnavailable,
        fmt::format("pid file {} is stale: process {} is not the daemon any more", path, *number));
  }
  return *number;
}

}  // namespace ssx
