#include "ssxrver/app/websocket_routes.h"

#include <charconv>
#include <cstdint>
#include <limits>
#include <string_view>
#include <utility>

#include "http/response.h"
#include "websocket/upgrade_handler.h"

namespace ssx {
namespace {

using http::Handler;
using http::Request;
using http::Response;
using websocket::Handlers;
using websocket::Message;
using websocket::NoData;
using websocket::Piece;
using websocket::WebSocket;

Handlers<> echo_messages() {
  Handlers<> echo;
  echo.on_message = [](WebSocket<NoData>& socket, const Message& message) { socket.send(message); };
  return echo;
}

struct EchoedMessage {
  bool is_left_out = false;  ///< its first fragment found no room
};

// Fragments as they come. What came at once leaves so; what has nothing in it leaves only when it
// ends something, as a peer may count empty fragments.
void echo_piece(WebSocket<EchoedMessage>& socket, const Piece& piece) {
  if (piece.begins && piece.ends) {
    socket.send(Message{piece.payload, piece.opcode});
  } else if (piece.begins) {
    socket->is_left_out = !socket.begin_message(piece.opcode, piece.bytes());
  } else if (!socket->is_left_out && (piece.ends || !piece.payload.empty())) {
    (void)socket.continue_message(piece.bytes(), piece.ends);  // false: it is closing
  }
}

Handlers<EchoedMessage> echo_pieces() {
  Handlers<EchoedMessage> echo;
  echo.on_piece = &echo_piece;
  return echo;
}

struct Sunk {
  std::uint64_t bytes = 0;  ///< of the message that is coming
};

void sink_piece(WebSocket<Sunk>& socket, const Piece& piece) {
  socket->bytes += piece.payload.size();
  if (!piece.ends) return;
  char digits[std::numeric_limits<std::uint64_t>::digits10 + 1];
  const char* end = std::to_chars(digits, std::end(digits), std::exchange(socket->bytes, 0)).ptr;
  socket.send(std::string_view(digits, end));
}

Handlers<Sunk> sink() {
  Handlers<Sunk> sink;
  sink.on_piece = &sink_piece;
  return sink;
}

template <class T>
Handler make(App& app, const RouteOptions& route, Handlers<T> handlers) {
  if (!route.websocket.enabled)
    return Handler([](const Request&) { return Response(http::Status::kNotFound); });
  handlers.limits = route.websocket.limits;
  return websocket::make_handler(app.websockets(), route.match, std::move(handlers));
}

}  // namespace

std::optional<Handler> make_websocket_handler(App& app, const RouteOptions& route) {
  using ParseMode = WebSocketOptions::ParseMode;
  const bool is_stream = route.websocket.parse_mode == ParseMode::kStream;
  if (route.handler == "websocket:echo" && is_stream) return make(app, route, echo_pieces());
  if (route.handler == "websocket:echo") return make(app, route, echo_messages());
  if (route.handler == "websocket:sink") return make(app, route, sink());
  return std::nullopt;
}

}  // namespace ssx
