// The handlers of a route, whatever data its sockets have.
//
// Thread: immutable; called on every worker at the same time
// Owner:  the Service
// Life:   that of the server
// Bounds: -
#pragma once

#include <functional>
#include <string_view>
#include <variant>

#include "ssxrver/base/error.h"
#include "ssxrver/coro/task.h"
#include "websocket/close_code.h"
#include "websocket/message.h"
#include "websocket/socket.h"

namespace ssx::websocket {

struct Callbacks {
  using OnMessage = std::function<void(WebSocketBase&, const Message&)>;
  using OnMessageAsync = std::function<Task<>(WebSocketBase&, const Message&)>;
  using OnPiece = std::function<void(WebSocketBase&, const Piece&)>;
  using OnPieceAsync = std::function<Task<>(WebSocketBase&, const Piece&)>;

  [[nodiscard]] bool takes_pieces() const noexcept {
    const auto* const now = std::get_if<OnPiece>(&on_piece);
    return now == nullptr || *now != nullptr;
  }

  std::function<void(WebSocketBase&)> on_open;
  std::variant<OnMessage, OnMessageAsync> on_message;
  std::variant<OnPiece, OnPieceAsync> on_piece;  ///< in place of on_message
  std::function<void(WebSocketBase&, std::string_view)> on_ping;
  std::function<void(WebSocketBase&, std::string_view)> on_pong;
  std::function<void(WebSocketBase&)> on_drain;
  std::function<void(WebSocketBase&)> on_backpressure;
  std::function<void(WebSocketBase&, const Error&)> on_error;
  std::function<void(WebSocketBase&, CloseCode, std::string_view)> on_close;
};

}  // namespace ssx::websocket
