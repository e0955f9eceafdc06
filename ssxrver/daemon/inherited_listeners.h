// Listening descriptors that systemd (or whoever speaks its protocol) hands over: LISTEN_FDS,
// LISTEN_PID and LISTEN_FDNAMES.
//
// Thread: before any other thread starts
// Owner:  the descriptors go to the listeners that take them
// Life:   read once; the variables are removed so that no child takes them for its own
// Bounds: descriptors from 3 on
#pragma once

#include <string>
#include <vector>

#include "ssxrver/base/startup_error.h"
#include "ssxrver/net/options.h"

namespace ssx {

struct InheritedFd {
  int fd;
  std::string name;  ///< of LISTEN_FDNAMES; empty when it has none
};

/// None when the variables are absent or meant for another process.
[[nodiscard]] std::vector<InheritedFd> take_inherited_fds();

/// Gives each listener with a `systemd` name its descriptor. Without any such listener, descriptors
/// replace the listeners one by one, in order.
StartupResult<void> use_inherited(const std::vector<InheritedFd>& inherited,
                                  std::vector<net::ListenOptions>& listeners);

}  // namespace ssx
