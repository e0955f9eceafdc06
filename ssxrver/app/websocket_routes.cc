#include "ssxrver/app/websocket_routes.h"

#include <fmt/format.h>

#include <charconv>
#include <chrono>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "http/response.h"
#include "ssxrver/app/chat_rooms.h"
#include "websocket/prepared.h"
#include "websocket/upgrade_handler.h"

namespace ssx {
namespace {

using http::Handler;
using http::Request;
using http::Response;
using websocket::CloseCode;
using websocket::Handlers;
using websocket::Message;
using websocket::NoData;
using websocket::Piece;
using websocket::PreparedMessage;
using websocket::Sent;
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

/// Of the sockets of a route, whatever other routes call theirs.
std::string topic_of(const RouteOptions& route, std::string_view what) {
  return fmt::format("{}{} {}", route.host, route.match, what);
}

Handlers<> broadcast(const RouteOptions& route) {
  Handlers<> all;
  const std::string topic = topic_of(route, "");
  all.on_open = [topic](WebSocket<NoData>& socket) {
    if (!socket.subscribe(topic)) socket.close(CloseCode::kTryAgainLater);
  };
  all.on_message = [topic](WebSocket<NoData>& socket, const Message& message) {
    const auto prepared = PreparedMessage::of(message);
    socket.publish(topic, prepared);
    socket.send(prepared);
  };
  return all;
}

// ---- websocket:chat

struct ChatMember {
  std::string room;
  std::string name;
  std::string topic;
  bool has_joined = false;
};

/// Shared by the handlers of a route.
struct Chat {
  Chat(websocket::Service& its_service, std::uint32_t history)
      : service(its_service), rooms(history, &wall_milliseconds) {}

  static std::int64_t wall_milliseconds() {
    const auto now = std::chrono::system_clock::now().time_since_epoch();
    return std::chrono::duration_cast<std::chrono::milliseconds>(now).count();
  }

  void join(WebSocket<ChatMember>& socket) {
    if (!socket.subscribe(socket->topic)) return full(socket);
    auto joined = rooms.join(socket->room, socket->name);
    if (!joined) return full(socket);
    socket->has_joined = true;
    socket->name = joined->name;
    // Ahead of the welcome: when that does not fit, the others hear of a leave behind this.
    socket.publish(socket->topic, joined->notice);
    if (socket.send(joined->welcome) != Sent::kDropped) return;
    leave(socket);  // who has no welcome is not there, however long the closing takes
    socket.close(CloseCode::kTryAgainLater, "no room for the welcome");
  }
  void leave(WebSocket<ChatMember>& socket) {
    if (!std::exchange(socket->has_joined, false)) return;
    service.publish(socket->topic, rooms.leave(socket->room, socket->name));
  }
  void hear(WebSocket<ChatMember>& socket, std::string_view sent) {
    if (!socket->has_joined) return;
    const auto heard = rooms.say(socket->room, socket->name, sent);
    if (!heard.is_for_all) return static_cast<void>(socket.send(heard.text));
    const auto prepared = PreparedMessage::text(heard.text);
    socket.publish(socket->topic, prepared);
    socket.send(prepared);
  }

  websocket::Service& service;
  ChatRooms rooms;

 private:
  static void full(WebSocket<ChatMember>& socket) {
    socket.close(CloseCode::kTryAgainLater, "no room");
  }
};

/// `{room}` of the path, or else ?room=, and ?name=.
websocket::Upgrade<ChatMember> make_member(Chat& chat, const RouteOptions& route,
                                           const Request& request) {
  ChatMember member;
  member.room = request.param("room");
  if (member.room.empty()) member.room = request.query("room").value_or("");
  member.name = request.query("name").value_or("");
  if (!chat.rooms.may_join(member.room, member.name))
    return websocket::reject(http::Status::kBadRequest);
  member.topic = topic_of(route, member.room);
  return member;
}

Handlers<ChatMember> chat(App& app, const RouteOptions& route) {
  const auto chat = std::make_shared<Chat>(app.websockets(), route.websocket.history);
  Handlers<ChatMember> handlers;
  handlers.on_upgrade = [chat, route](const Request& request) {
    return make_member(*chat, route, request);
  };
  handlers.on_open = [chat](WebSocket<ChatMember>& socket) { chat->join(socket); };
  handlers.on_message = [chat](WebSocket<ChatMember>& socket, const Message& message) {
    chat->hear(socket, message.payload);
  };
  handlers.on_close = [chat](WebSocket<ChatMember>& socket, CloseCode, std::string_view) {
    chat->leave(socket);
  };
  return handlers;
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
  using ParseMode = WebSocketRouteOptions::ParseMode;
  const bool is_stream = route.websocket.parse_mode == ParseMode::kStream;
  if (route.handler == "websocket:echo" && is_stream) return make(app, route, echo_pieces());
  if (route.handler == "websocket:echo") return make(app, route, echo_messages());
  if (route.handler == "websocket:sink") return make(app, route, sink());
  if (route.handler == "websocket:broadcast") return make(app, route, broadcast(route));
  if (route.handler == "websocket:chat") return make(app, route, chat(app, route));
  return std::nullopt;
}

}  // namespace ssx
