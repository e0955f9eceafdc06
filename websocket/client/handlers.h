// The handlers of a client's WebSocket, as a program writes them: those of a server
// (websocket/handlers.h), and what becomes of the connection.
//
// Thread: the client's loop
// Owner:  the client
// Life:   until the client goes or connects anew: none of them is called then
// Bounds: ClientOptions::limits
//
//   client.connect({.on_open = [](auto& socket, auto&) { socket.send("hello"); },
//                   .on_message = [](auto&, const Message& message) { show(message.payload); }});
#pragma once

#include <functional>
#include <string_view>

#include "websocket/client/answer.h"
#include "websocket/client/failure.h"
#include "websocket/handlers.h"

namespace ssx::websocket {

struct ClientHandlers {
  using Socket = WebSocket<NoData>;

  std::function<void(Socket&, const ClientAnswer&)> on_open = {};
  MessageHandler<NoData> on_message = {};  ///< a function, or a coroutine
  PieceHandler<NoData> on_piece = {};      ///< the same
  std::function<void(Socket&, std::string_view)> on_ping = {};
  std::function<void(Socket&, std::string_view)> on_pong = {};
  std::function<void(Socket&)> on_drain = {};
  std::function<void(Socket&)> on_backpressure = {};
  std::function<void(Socket&, const Error&)> on_error = {};
  /// Once for each on_open.
  std::function<void(Socket&, CloseCode, std::string_view)> on_close = {};
  /// ReconnectOptions::enabled: there is no connection, or no longer; the next attempt is made
  /// after the delay, unless stop() is called.
  std::function<void(const ConnectFailure&, milliseconds)> on_retry = {};
  /// There is no connection, and no attempt follows.
  std::function<void(const ConnectFailure&)> on_failed = {};
};

}  // namespace ssx::websocket
