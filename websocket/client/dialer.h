// From a URL to an open WebSocket: the name, its addresses one after the other, the handshake.
//
// Thread: loop-only
// Owner:  shared between the Client and its sockets
// Life:   until the last of them goes
// Bounds: ClientOptions::dial_timeout, handshake_timeout; net::Resolver's
#pragma once

#include "ssxrver/base/local_ref.h"
#include "ssxrver/coro/task.h"
#include "ssxrver/net/connections.h"
#include "ssxrver/net/net_stack.h"
#include "ssxrver/net/resolver.h"
#include "ssxrver/net/tcp_client.h"
#include "websocket/client/counters.h"
#include "websocket/client/failure.h"
#include "websocket/client/opening.h"
#include "websocket/client/target.h"
#include "websocket/service.h"

namespace ssx::websocket {

class Dialer final : public LocalShared {
 public:
  /// All of them must outlive the dialer.
  Dialer(net::Connections& connections, net::NetStack& stack, const net::Resolver& resolver,
         const ServiceOptions& options, const net::TcpOptions& tcp);

  /// Ends when `make` has made what the connection is now, and that has been opened. `target` and
  /// `options` (those of its route) must outlive the Task; destroying it ends the attempt.
  [[nodiscard]] Task<Connected<void>> dial(const ClientTarget& target, const Options& options,
                                           MakeSession make);

  [[nodiscard]] net::EventLoop& loop() const noexcept { return connections_.loop(); }
  [[nodiscard]] WorkerState& state() noexcept { return service_.worker(0); }
  [[nodiscard]] ClientCounters& counters() noexcept { return counters_; }

 private:
  class Attempt;

  [[nodiscard]] Task<Connected<void>> try_all(const ClientTarget& target, const Options& options,
                                              MakeSession& make);

  net::Connections& connections_;
  const net::Resolver& resolver_;
  Service service_;
  ClientCounters counters_;
  net::TcpClient tcp_;
};

}  // namespace ssx::websocket
