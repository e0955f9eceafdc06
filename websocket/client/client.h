// A client of WebSockets (RFC 6455) on a loop, for coroutines or with callbacks.
//
//   websocket::Client client(connections, net::KernelStack::instance(), resolver,
//                            {.url = "ws://a.example/chat"});
//   auto socket = co_await client.open();                           // client_socket.h
//   client.connect({.on_message = [](auto&, const Message& m) { ... }});  // client/handlers.h
//
// Thread: loop-only (the loop of its Connections)
// Owner:  whoever asks: a handler's worker, a test, a program
// Life:   outlives its Tasks; not the sockets of open(), which end by themselves. Its own
//         connection ends with it at once: stop() first, for an end in good order
// Bounds: ClientOptions, all of them
//
// Names are resolved on a task thread, frames are masked with keys that nobody can foresee, and a
// handshake that the RFC would refuse is refused. wss is not in this build: TLS comes as a
// net::Transport below all of this.
#pragma once

#include <string_view>

#include "ssxrver/base/local_ref.h"
#include "ssxrver/coro/task.h"
#include "ssxrver/net/connections.h"
#include "ssxrver/net/net_stack.h"
#include "ssxrver/net/resolver.h"
#include "websocket/client/client_socket.h"
#include "websocket/client/dialer.h"
#include "websocket/client/failure.h"
#include "websocket/client/handlers.h"
#include "websocket/client/kept_socket.h"
#include "websocket/client/options.h"

namespace ssx::websocket {

class Client {
 public:
  /// All of them must outlive the client and its sockets.
  Client(net::Connections& connections, net::NetStack& stack, const net::Resolver& resolver,
         ClientOptions options, const ServiceOptions& service = {});
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;
  ~Client();

  /// A socket of its own with each call; destroying the Task gives the attempt up.
  [[nodiscard]] Task<Connected<ClientSocket>> open();

  /// One socket that is kept (ClientOptions::reconnect): what an earlier call has begun ends. An
  /// error: of the options (ClientTarget::create); everything else is told to a handler, later.
  [[nodiscard]] Result<void> connect(ClientHandlers handlers);
  /// No attempt follows; an open socket is closed, and on_close is told.
  void stop(CloseCode code = CloseCode::kNormal, std::string_view reason = {});
  /// That of connect(); null while there is none.
  [[nodiscard]] WebSocket<NoData>* socket() const noexcept {
    return kept_ ? kept_->socket() : nullptr;
  }

  [[nodiscard]] const ClientOptions& options() const noexcept { return options_; }
  [[nodiscard]] const ClientCounters& counters() const noexcept { return dialer_->counters(); }
  /// Of its sockets, and of attempts that failed by websocket::Errc.
  [[nodiscard]] const Counters& socket_counters() const noexcept {
    return dialer_->state().counters;
  }

 private:
  const ClientOptions options_;
  const LocalRef<Dialer> dialer_;
  LocalRef<KeptSocket> kept_;
};

}  // namespace ssx::websocket
