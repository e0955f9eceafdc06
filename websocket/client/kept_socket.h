// The client with callbacks: one WebSocket after the other, until it is told to stop.
//
// Thread: loop-only
// Owner:  shared between the Client and its session
// Life:   start() .. stop(), and to the end of the session
// Bounds: ReconnectOptions
//
//   connecting ── open ──► open ── closed ──► waiting ── the delay ──► connecting
//        └──── failed ─────────────────────────┘
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "ssxrver/coro/continuation.h"
#include "ssxrver/net/event_loop.h"
#include "websocket/client/client_core.h"
#include "websocket/client/handlers.h"

namespace ssx::websocket {

class KeptSocket final : public ClientCore {
 public:
  KeptSocket(LocalRef<Dialer> dialer, ClientTarget target, ClientHandlers handlers);

  /// Once. Every handler is called later.
  void start();
  /// No attempt follows; what is open is closed, with an on_close.
  void stop(CloseCode code, std::string_view reason);
  /// The same at once, and no handler is called any more.
  void abandon();

  /// Null while there is none.
  [[nodiscard]] WebSocket<NoData>* socket() const noexcept { return socket_; }

 private:
  /// Tells that the attempt has ended.
  class Done final : public Continuation {
   public:
    explicit Done(KeptSocket& socket) noexcept : Continuation(&call), socket_(socket) {}

   private:
    static void call(Continuation& self) noexcept {
      static_cast<Done&>(self).socket_.attempt_ended();
    }
    KeptSocket& socket_;
  };

  static Callbacks callbacks_of(KeptSocket& self, ClientHandlers& handlers);

  void on_answer(net::Connection&, ClientAnswer answer) override { answer_ = std::move(answer); }
  void opened(WebSocketBase& socket);
  void closed(WebSocketBase& socket, CloseCode code, std::string_view reason);
  void attempt();
  void attempt_ended();
  void try_again(ConnectFailure failure);

  ClientHandlers handlers_;  ///< those that the route has not taken
  WebSocket<NoData>* socket_ = nullptr;
  ClientAnswer answer_;
  Task<Connected<void>> task_;
  Done done_{*this};
  net::TimerId timer_{};
  TimePoint opened_at_{};
  std::optional<Error> error_;  ///< what on_error has said
  std::uint32_t failures_ = 0;  ///< in a row
  bool stopped_ = false;
  bool silent_ = false;
};

}  // namespace ssx::websocket
