// What a load of HTTP does.
//
// Thread: immutable once the Crew runs
// Owner:  the command
// Life:   longer than the Crew
// Bounds: every field says its range
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "http/method.h"
#include "ssxrver/base/clock.h"
#include "ssxrver/net/socket_address.h"

namespace ssx::load {

struct HttpPlan {
  enum class Use : std::uint8_t {
    kKeepAlive,     ///< one request after the other, as long as the server lets it
    kRequestEach,   ///< a connection for each request; closed when the answer is there
    kUntilClosed,   ///< the same, and the answer ends when the server closes, whatever it says
    kWithoutAnswer  ///< the same, and nobody waits for the answer
  };

  net::SocketAddress target;
  std::vector<net::SocketAddress> sources;  ///< connections take turns; none: the kernel chooses
  std::string request;                      ///< the bytes of one
  http::Method method = http::Method::kGet;
  Use use = Use::kKeepAlive;
  std::uint32_t depth = 1;  ///< requests sent at once on a connection; 1 unless it is kept alive
  std::uint32_t connections = 100;
  std::uint32_t threads = 1;  ///< 1 .. connections
  double rate = 0;            ///< requests per second, over all; 0 = as fast as answers come
  Duration timeout = std::chrono::seconds(10);
};

}  // namespace ssx::load
