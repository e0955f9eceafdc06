#include "ssxrver/plugin/host/socket_route.h"

#include <string_view>

#include "ssxrver/base/scope_exit.h"
#include "ssxrver/plugin/host/exchange.h"
#include "websocket/close_code.h"

namespace ssx::plugins {
namespace {

using websocket::CloseCode;
using websocket::Handlers;
using websocket::Message;
using websocket::Piece;
using websocket::Upgrade;

std::uint32_t to_border(websocket::Opcode opcode) noexcept {
  return opcode == websocket::Opcode::kText ? SSXRVER_OP_TEXT : SSXRVER_OP_BINARY;
}
ssxrver_message to_border(const Message& message) noexcept {
  return {to_text(message.payload), to_border(message.opcode), 1, 1};
}
ssxrver_message to_border(const Piece& piece) noexcept {
  const auto flag = [](bool is) { return static_cast<std::uint8_t>(is ? 1 : 0); };
  return {to_text(piece.payload), to_border(piece.opcode), flag(piece.begins), flag(piece.ends)};
}

}  // namespace

SocketData::SocketData(std::shared_ptr<const SocketRoute> route, void* data)
    : route_(std::move(route)),
      lease_(route_->instance().leases(), LeaseKind::kSockets),
      data_(data) {}

SocketData::~SocketData() {
  if (route_ == nullptr || route_->handler().release_data == nullptr) return;
  const ssxrver_socket_handler& handler = route_->handler();
  route_->instance().call_void(route_->name(),
                               [this, &handler] { handler.release_data(handler.state, data_); });
}

SocketRoute::SocketRoute(Instance& instance, std::string name,
                         const ssxrver_socket_handler& handler)
    : instance_(instance),
      lease_(instance.leases(), LeaseKind::kRoutes),
      name_(std::move(name)),
      label_(instance.keep_label(name_)),
      handler_(copy_table(handler)) {}

SocketRoute::~SocketRoute() {
  if (handler_.release == nullptr) return;
  instance_.call_void(name_, [this] { handler_.release(handler_.state); });
}

// What has been sent stays; what is said again inside of on_close finds it closed.
void SocketRoute::fail(PluginSocket& socket, std::string_view why) const noexcept {
  if (std::exchange(socket->has_failed, true)) return;
  instance_.failed(name_, why);
  socket.close(CloseCode::kInternalError);
}

// ---- the life of a socket

Upgrade<SocketData> SocketRoute::upgrade(const http::Request& request) const {
  http::Response response;
  ssxrver_exchange exchange{instance_, name_, response};
  ssxrver_upgrade handshake;
  Instance::charge(label_);
  const std::int32_t status = instance_.call(name_, [&] {
    return handler_.upgrade(handler_.state, plugins::to_border(request), &exchange, &handshake);
  });
  if (!handshake.is_accepted) {
    conclude(exchange, status == SSXRVER_END ? std::int32_t{SSXRVER_OK} : status);
    return websocket::reject(std::move(response));
  }
  SocketData data(shared_from_this(), handshake.data);  // it is released in any case
  if (status != SSXRVER_OK || exchange.state != ssxrver_exchange::State::kOpen) {
    instance_.misuse(name_, "it has accepted a handshake and answered it as well");
    return websocket::reject(http::Status::kInternalServerError);
  }
  Upgrade<SocketData> accepted(std::move(data));
  for (const auto& [name, value] : handshake.fields) accepted.set(name, value);
  return accepted;
}

void SocketRoute::open(PluginSocket& socket) const {
  instance_.counters().of_worker(socket.worker()).sockets.add();
  if (handler_.open == nullptr) return;
  call([&] { handler_.open(handler_.state, plugins::to_border(socket), socket->data()); });
}

std::int32_t SocketRoute::call_message(PluginSocket& socket, const ssxrver_message& message,
                                       ssxrver_operation& started) const noexcept {
  instance_.counters().of_worker(socket.worker()).messages.add();
  Instance::charge(label_);
  return instance_.call(name_, [&] {
    return handler_.message(handler_.state, plugins::to_border(socket), socket->data(), &message,
                            &started);
  });
}

void SocketRoute::take(PluginSocket& socket, const ssxrver_message& message) const {
  ssxrver_operation started{};
  const std::int32_t status = call_message(socket, message, started);
  if (status == SSXRVER_OK) [[likely]]
    return;
  if (status == SSXRVER_PENDING) {
    instance_.misuse(name_, "it goes on later, and has not said so (SSXRVER_SOCKET_LATER)");
    if (started.cancel != nullptr) call([&started] { started.cancel(started.state); });
  }
  fail(socket, to_words(status));
}

Task<> SocketRoute::take_later(PluginSocket& socket, ssxrver_message message) const {
  const ScopeExit forget([&socket] { socket->handling = nullptr; });
  Pending pending(instance_, name_);
  socket->handling = &pending;
  const std::int32_t status = call_message(socket, message, *pending.started());
  if (status == SSXRVER_PENDING) {
    co_await pending;
  } else if (status != SSXRVER_OK) {
    fail(socket, to_words(status));
  }
}

// ---- as websocket has it

template <class Reader>
void SocketRoute::set_reader(Handlers<SocketData>& handlers,
                             const std::shared_ptr<const SocketRoute>& route,
                             Reader Handlers<SocketData>::*reader) const {
  if ((handler_.flags & SSXRVER_SOCKET_LATER) != 0) {
    handlers.*reader = [route](PluginSocket& socket, const auto& given) {
      return route->take_later(socket, to_border(given));
    };
  } else {
    handlers.*reader = [route](PluginSocket& socket, const auto& given) {
      route->take(socket, to_border(given));
    };
  }
}

Handlers<SocketData> SocketRoute::make_handlers(const std::shared_ptr<const SocketRoute>& route,
                                                websocket::Options limits) {
  Handlers<SocketData> made;
  made.limits = std::move(limits);
  const ssxrver_socket_handler& given = route->handler_;
  made.on_upgrade = [route](const http::Request& request) { return route->upgrade(request); };
  made.on_open = [route](PluginSocket& socket) { route->open(socket); };
  const bool takes_pieces = (given.flags & SSXRVER_SOCKET_PIECES) != 0;
  if (given.message != nullptr && takes_pieces) {
    route->set_reader(made, route, &Handlers<SocketData>::on_piece);
  } else if (given.message != nullptr) {
    route->set_reader(made, route, &Handlers<SocketData>::on_message);
  }
  /// Of a callback without anything else, with a text, and with two things.
  const auto simple = [&route](auto callback) {
    return [route, callback](PluginSocket& socket) {
      route->call(
          [&] { callback(route->handler_.state, plugins::to_border(socket), socket->data()); });
    };
  };
  const auto with_text = [&route](auto callback) {
    return [route, callback](PluginSocket& socket, std::string_view text) {
      route->call([&] {
        callback(route->handler_.state, plugins::to_border(socket), socket->data(), to_text(text));
      });
    };
  };
  if (given.ping != nullptr) made.on_ping = with_text(given.ping);
  if (given.pong != nullptr) made.on_pong = with_text(given.pong);
  if (given.drain != nullptr) made.on_drain = simple(given.drain);
  if (given.backpressure != nullptr) made.on_backpressure = simple(given.backpressure);
  if (given.error != nullptr) {
    made.on_error = [tell = with_text(given.error)](PluginSocket& socket, const Error& error) {
      tell(socket, error.message());
    };
  }
  if (given.close != nullptr) {
    made.on_close = [route](PluginSocket& socket, CloseCode code, std::string_view reason) {
      route->call([&] {
        route->handler_.close(route->handler_.state, plugins::to_border(socket), socket->data(),
                              websocket::to_int(code), to_text(reason));
      });
    };
  }
  return made;
}

}  // namespace ssx::plugins
