// Tables of routes on their way to the workers: who has taken which, and who is told of it. (i)
//
// Thread: the control loop
// Owner:  App
// Life:   that of the workers' loops
// Bounds: one entry per table on its way
//
// Each loop takes them in the order of send(), so several may be on their way at once.
#pragma once

#include <functional>
#include <list>
#include <memory>

#include "http/router.h"
#include "http/service.h"
#include "ssxrver/app/route_set.h"
#include "ssxrver/base/unique_function.h"
#include "ssxrver/net/event_loop.h"
#include "ssxrver/net/tcp_server.h"

namespace ssx {

class RouteSwaps {
 public:
  using Then = UniqueFunction<void(const RoutesResult&)>;

  RouteSwaps(net::EventLoop& control, net::TcpServer& server, http::Service& service) noexcept
      : control_(control), server_(server), service_(service) {}

  /// `then` is called when every worker has taken it; it may be null.
  void send(const std::shared_ptr<const http::Router>& table, Then then);
  /// The workers have ended: whoever still waits is told so.
  void end();

 private:
  struct Swap {
    std::size_t missing = 0;  ///< workers that have not taken it
    Then then;
  };
  using Place = std::list<Swap>::iterator;

  void taken(Place place);

  net::EventLoop& control_;
  net::TcpServer& server_;
  http::Service& service_;
  std::list<Swap> swaps_;
};

/// Why routes cannot be replaced at all.
[[nodiscard]] RoutesResult not_running(const char* sentence);

}  // namespace ssx
