// The handlers of a route's WebSockets, as ssx::websocket::Handlers has them, for the border.
//
// Thread: called on every worker at the same time
// Owner:  the host, until it releases the route
// Life:   that of the route; each socket's data from on_upgrade to behind on_close
// Bounds: WebSocketOptions
#pragma once

#include <concepts>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "ssxrver/coro/task.h"
#include "ssxrver/plugin/sdk/http_handler.h"
#include "ssxrver/plugin/sdk/websocket.h"
#include "ssxrver/plugin/sdk/websocket_options.h"

namespace ssx::plugin {

/// Of sockets that need no data of their own.
struct NoData {};

/// A function, or a coroutine.
template <class T, class Given>
class ReadHandler {
 public:
  using Now = std::function<void(WebSocket<T>&, const Given&)>;
  using Later = std::function<Task<>(WebSocket<T>&, const Given&)>;

  ReadHandler() = default;
  template <class F>
    requires std::invocable<F&, WebSocket<T>&, const Given&>
  ReadHandler(F function) {  // NOLINT: a callable becomes one silently, as with std::function
    using Returned = std::invoke_result_t<F&, WebSocket<T>&, const Given&>;
    static_assert(std::is_void_v<Returned> || std::same_as<Returned, Task<>>,
                  "it returns nothing, or is a coroutine that returns Task<>");
    if constexpr (std::is_void_v<Returned>) {
      function_ = Now(std::move(function));
    } else {
      function_ = Later(std::move(function));
    }
  }

  [[nodiscard]] const Now* now() const noexcept { return std::get_if<Now>(&function_); }
  [[nodiscard]] const Later* later() const noexcept { return std::get_if<Later>(&function_); }
  [[nodiscard]] bool is_set() const noexcept {
    return later() != nullptr || (now() != nullptr && *now() != nullptr);
  }

 private:
  std::variant<Now, Later> function_;
};

template <class T = NoData>
struct Handlers {
  WebSocketOptions limits = {};
  /// Before the answer to a handshake that is known to be a good one. Without it, a T{}.
  std::function<Upgrade<T>(const Request&)> on_upgrade = {};
  std::function<void(WebSocket<T>&)> on_open = {};
  ReadHandler<T, Message> on_message = {};
  /// In place of on_message: what comes of a message, as it comes, whatever its length.
  ReadHandler<T, Piece> on_piece = {};
  std::function<void(WebSocket<T>&, std::string_view)> on_ping = {};
  std::function<void(WebSocket<T>&, std::string_view)> on_pong = {};
  std::function<void(WebSocket<T>&)> on_drain = {};
  std::function<void(WebSocket<T>&)> on_backpressure = {};
  std::function<void(WebSocket<T>&, const Error&)> on_error = {};
  /// Once for each on_open. Sends nothing.
  std::function<void(WebSocket<T>&, CloseCode, std::string_view)> on_close = {};
};

namespace internal {

/// Calls `fn`; what it throws ends the socket as it does in ssx::WebSocket.
template <class F>
void guard_socket(ssxrver_socket* socket, F&& fn) noexcept {
  try {
    std::forward<F>(fn)();
  } catch (const std::exception& thrown) {
    tables.websocket->message_end(socket, SSXRVER_ERROR, to_text(thrown.what()));
  } catch (...) {
    tables.websocket->message_end(socket, SSXRVER_ERROR, to_text("an unknown exception"));
  }
}

/// The coroutine of one message.
class PendingMessage final : private Continuation {
 public:
  PendingMessage(ssxrver_socket* socket, Task<> task) noexcept
      : Continuation(&PendingMessage::end), socket_(socket), task_(std::move(task)) {}
  PendingMessage(const PendingMessage&) = delete;
  PendingMessage& operator=(const PendingMessage&) = delete;

  static std::int32_t begin(ssxrver_socket* socket, Task<> task, ssxrver_operation* started) {
    auto pending = std::make_unique<PendingMessage>(socket, std::move(task));
    if (pending->task_.start(*pending)) {
      pending->task_.result();  // or throws
      return SSXRVER_OK;
    }
    *started = {&PendingMessage::cancel, pending.release()};
    return SSXRVER_PENDING;
  }

 private:
  static void cancel(void* state) { delete static_cast<PendingMessage*>(state); }
  static void end(Continuation& self) noexcept {
    const std::unique_ptr<PendingMessage> pending(&static_cast<PendingMessage&>(self));
    guard_socket(pending->socket_, [&pending] {
      pending->task_.result();
      tables.websocket->message_end(pending->socket_, SSXRVER_OK, {});
    });
  }

  ssxrver_socket* socket_;
  Task<> task_;
};

/// One route, behind `state` of its ssxrver_socket_handler.
template <class T>
class SocketRoute {
 public:
  SocketRoute(ssxrver_context* context, Handlers<T> handlers)
      : context_(context), handlers_(std::move(handlers)) {}

  [[nodiscard]] static ssxrver_socket_handler make(ssxrver_context* context, Handlers<T> handlers) {
    auto route = std::make_unique<SocketRoute>(context, std::move(handlers));
    const Handlers<T>& given = route->handlers_;
    ssxrver_socket_handler raw{};
    raw.size = sizeof(raw);
    const bool pieces = given.on_piece.is_set();
    const bool later = given.on_message.later() != nullptr || given.on_piece.later() != nullptr;
    raw.flags = (pieces ? SSXRVER_SOCKET_PIECES : 0U) | (later ? SSXRVER_SOCKET_LATER : 0U);
    raw.upgrade = &SocketRoute::upgrade;
    raw.open = &SocketRoute::open;
    if (pieces || given.on_message.is_set()) raw.message = &SocketRoute::message;
    if (given.on_ping) raw.ping = &SocketRoute::ping;
    if (given.on_pong) raw.pong = &SocketRoute::pong;
    if (given.on_drain) raw.drain = &SocketRoute::drain;
    if (given.on_backpressure) raw.backpressure = &SocketRoute::backpressure;
    if (given.on_error) raw.error = &SocketRoute::error;
    if (given.on_close) raw.close = &SocketRoute::close;
    raw.release_data = [](void*, void* data) { delete static_cast<WebSocket<T>*>(data); };
    raw.release = [](void* state) { delete static_cast<SocketRoute*>(state); };
    raw.state = route.release();
    return raw;
  }

 private:
  static const Handlers<T>& of(void* state) noexcept {
    return static_cast<SocketRoute*>(state)->handlers_;
  }
  static WebSocket<T>& socket_of(void* data) noexcept { return *static_cast<WebSocket<T>*>(data); }

  static std::int32_t upgrade(void* state, const ssxrver_request* request,
                              ssxrver_exchange* exchange, ssxrver_upgrade* out) {
    const auto& self = *static_cast<SocketRoute*>(state);
    bool is_accepted = false;
    const bool well = guard(exchange, [&] {
      const Request seen(request);
      Upgrade<T> made =
          self.handlers_.on_upgrade ? self.handlers_.on_upgrade(seen) : plain_upgrade();
      if (made.is_rejected()) return std::move(made.take_answer()).send(exchange);
      for (const auto& [name, value] : made.take_fields()) {
        tables.websocket->set_field(out, to_text(name), to_text(value));
      }
      auto socket = std::make_unique<WebSocket<T>>(self.context_, made.take_data());
      tables.websocket->accept(out, socket.release());
      is_accepted = true;
    });
    if (!well) return SSXRVER_ERROR;
    return is_accepted ? SSXRVER_OK : SSXRVER_END;
  }
  static Upgrade<T> plain_upgrade() {
    if constexpr (std::default_initializable<T>) return T{};
    return reject(Status::kInternalServerError);
  }

  static void open(void* state, ssxrver_socket* raw, void* data) {
    socket_of(data).bind(raw);
    const auto& handlers = of(state);
    if (handlers.on_open) guard_socket(raw, [&] { handlers.on_open(socket_of(data)); });
  }
  static std::int32_t message(void* state, ssxrver_socket* raw, void* data,
                              const ssxrver_message* message, ssxrver_operation* started) {
    const auto& handlers = of(state);
    std::int32_t status = SSXRVER_ERROR;
    guard_socket(raw, [&] {
      const auto opcode = static_cast<Opcode>(message->opcode);
      if (handlers.on_piece.is_set()) {
        const Piece piece{to_view(message->payload), opcode, message->begins != 0,
                          message->ends != 0};
        status = call(handlers.on_piece, raw, data, piece, started);
      } else {
        const Message whole{to_view(message->payload), opcode};
        status = call(handlers.on_message, raw, data, whole, started);
      }
    });
    return status;
  }
  template <class Given>
  static std::int32_t call(const ReadHandler<T, Given>& handler, ssxrver_socket* raw, void* data,
                           const Given& given, ssxrver_operation* started) {
    if (const auto* const later = handler.later()) {
      return PendingMessage::begin(raw, keep(*later, socket_of(data), given), started);
    }
    (*handler.now())(socket_of(data), given);
    return SSXRVER_OK;
  }
  /// What is given lives as long as the coroutine.
  template <class Given>
  static Task<> keep(const typename ReadHandler<T, Given>::Later& later, WebSocket<T>& socket,
                     Given given) {
    co_await later(socket, given);
  }
  static void ping(void* state, ssxrver_socket* raw, void* data, ssxrver_text payload) {
    guard_socket(raw, [&] { of(state).on_ping(socket_of(data), to_view(payload)); });
  }
  static void pong(void* state, ssxrver_socket* raw, void* data, ssxrver_text payload) {
    guard_socket(raw, [&] { of(state).on_pong(socket_of(data), to_view(payload)); });
  }
  static void drain(void* state, ssxrver_socket* raw, void* data) {
    guard_socket(raw, [&] { of(state).on_drain(socket_of(data)); });
  }
  static void backpressure(void* state, ssxrver_socket* raw, void* data) {
    guard_socket(raw, [&] { of(state).on_backpressure(socket_of(data)); });
  }
  static void error(void* state, ssxrver_socket* raw, void* data, ssxrver_text sentence) {
    const Error error(SSXRVER_ERROR, std::string(to_view(sentence)));
    guard_socket(raw, [&] { of(state).on_error(socket_of(data), error); });
  }
  static void close(void* state, ssxrver_socket* raw, void* data, std::uint16_t code,
                    ssxrver_text reason) {
    guard_socket(raw, [&] {
      of(state).on_close(socket_of(data), static_cast<CloseCode>(code), to_view(reason));
    });
  }

  ssxrver_context* context_;
  const Handlers<T> handlers_;
};

}  // namespace internal
}  // namespace ssx::plugin
