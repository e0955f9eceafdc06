// What every load has, whatever its protocol is.
//
// Thread: immutable once the Crew runs
// Owner:  the command
// Life:   longer than the Crew
// Bounds: every field says its range
#pragma once

#include <cstdint>
#include <vector>

#include "ssxrver/base/clock.h"
#include "ssxrver/net/socket_address.h"

namespace ssx::load {

struct LoadPlan {
  net::SocketAddress target;
  std::vector<net::SocketAddress> sources;  ///< connections take turns; none: the kernel chooses
  bool keeps_connections = true;  ///< they stand before the first request, and stay if they may
  std::uint32_t depth = 1;        ///< requests sent at once on a connection; 1 unless it is kept
  /// Each connection has had one answer, stands, and its one request is not answered.
  bool is_idle = false;
  std::uint32_t connections = 100;
  std::uint32_t threads = 1;  ///< 1 .. connections
  double rate = 0;            ///< requests per second, over all; 0 = as fast as answers come
  Duration timeout = std::chrono::seconds(10);
};

}  // namespace ssx::load
