#include "ssxrver/daemon/inherited_listeners.h"

#include <fmt/core.h>

#include <algorithm>

#include "ssxrver/base/strings.h"
#include "ssxrver/sys/process.h"

namespace ssx {
namespace {

constexpr int kFirst = 3;  // SD_LISTEN_FDS_START
constexpr std::uint64_t kMax = 1024;

bool is_named(const net::ListenOptions& listener) { return !listener.systemd_name.empty(); }

}  // namespace

std::vector<InheritedFd> take_inherited_fds() {
  const auto process = parse_uint(sys::environment("LISTEN_PID"));
  const auto count = parse_uint(sys::environment("LISTEN_FDS"));
  const std::string names = sys::environment("LISTEN_FDNAMES");
  for (const char* variable : {"LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES"}) {
    (void)sys::unset_environment(variable);
  }
  std::vector<InheritedFd> inherited;
  if (!process || !count || *process != static_cast<std::uint64_t>(sys::process_id()))
    return inherited;
  for (std::uint64_t i = 0; i < std::min(*count, kMax); ++i) {
    inherited.push_back({kFirst + static_cast<int>(i), ""});
  }
  std::size_t at = 0;
  for_each_part(names, ':', [&](std::string_view name) {
    if (at < inherited.size()) inherited[at++].name = name;
  });
  return inherited;
}

StartupResult<void> use_inherited(const std::vector<InheritedFd>& inherited,
                                  std::vector<net::ListenOptions>& listeners) {
  if (std::any_of(listeners.begin(), listeners.end(), is_named)) {
    for (net::ListenOptions& listener : listeners) {
      if (!is_named(listener)) continue;
      const auto found =
          std::find_if(inherited.begin(), inherited.end(),
                       [&](const InheritedFd& fd) { return fd.name == listener.systemd_name; });
      if (found == inherited.end()) {
        return fail_start(
            ExitCode::kUnavailable,
            fmt::format("no descriptor named \"{}\" was handed over (LISTEN_FDNAMES): start it "
                        "through its socket unit",
                        listener.systemd_name));
      }
      listener.inherited_fd = found->fd;
    }
    return {};
  }
  for (std::size_t i = 0; i < inherited.size(); ++i) {
    if (i == listeners.size()) listeners.emplace_back();
    listeners[i].inherited_fd = inherited[i].fd;
  }
  return {};
}

}  // namespace ssx
