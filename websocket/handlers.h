// The handlers of a route's WebSockets, as a program writes them.
//
// Thread: called on every worker at the same time: what they capture must bear that
// Owner:  the route
// Life:   that of the server
// Bounds: Options
//
//   app.ws("/echo", {.on_message = [](auto& socket, Message message) { socket.send(message); }});
//
// In the order of a socket's life, and none of them must be there. on_message and on_piece may be
// coroutines: then the message, or the piece of one, lives until it ends, and the next one waits.
#pragma once

#include <concepts>
#include <functional>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>

#include "http/request.h"
#include "ssxrver/base/error.h"
#include "ssxrver/coro/task.h"
#include "websocket/callbacks.h"
#include "websocket/options.h"
#include "websocket/socket.h"
#include "websocket/upgrade.h"

namespace ssx::websocket {

/// Of sockets that need no data of their own.
struct NoData {};

namespace internal {

/// The same function for a socket whose data it knows.
template <class T, class R, class... Args>
std::function<R(WebSocketBase&, Args...)> erase(std::function<R(WebSocket<T>&, Args...)> function) {
  if (!function) return nullptr;
  return [function = std::move(function)](WebSocketBase& socket, Args... args) -> R {
    return function(static_cast<WebSocket<T>&>(socket), args...);
  };
}

}  // namespace internal

/// A function, or a coroutine.
template <class T, class Given>
class ReadHandler {
 public:
  ReadHandler() = default;
  template <class F>
    requires std::invocable<F&, WebSocket<T>&, const Given&>
  ReadHandler(F function) {  // NOLINT: a callable becomes one silently, as with std::function
    using Returned = std::invoke_result_t<F&, WebSocket<T>&, const Given&>;
    using Typed = std::function<Returned(WebSocket<T>&, const Given&)>;
    static_assert(std::is_void_v<Returned> || std::same_as<Returned, Task<>>,
                  "it returns nothing, or is a coroutine that returns Task<>");
    erased_ = internal::erase<T>(Typed(std::move(function)));
  }

  [[nodiscard]] auto take() && { return std::move(erased_); }

 private:
  std::variant<std::function<void(WebSocketBase&, const Given&)>,
               std::function<Task<>(WebSocketBase&, const Given&)>>
      erased_;
};
template <class T>
using MessageHandler = ReadHandler<T, Message>;
template <class T>
using PieceHandler = ReadHandler<T, Piece>;

/// A function, or a coroutine, which Options::handshake_timeout bounds where App::ws makes the
/// route.
template <class T>
class UpgradeHandler {
 public:
  using Now = std::function<Upgrade<T>(const http::Request&)>;
  using Later = std::function<Task<Upgrade<T>>(const http::Request&)>;

  UpgradeHandler() = default;
  template <class F>
    requires std::invocable<F&, const http::Request&>
  UpgradeHandler(F function) {  // NOLINT: as above
    using Returned = std::invoke_result_t<F&, const http::Request&>;
    if constexpr (std::convertible_to<Returned, Upgrade<T>>) {
      function_ = Now(std::move(function));
    } else {
      static_assert(std::same_as<Returned, Task<Upgrade<T>>>,
                    "on_upgrade returns Upgrade<T>, or is a coroutine that returns a Task of it");
      function_ = Later(std::move(function));
    }
  }

  [[nodiscard]] std::variant<Now, Later> take() && { return std::move(function_); }

 private:
  std::variant<Now, Later> function_;
};

template <class T = NoData>
struct Handlers {
  Options limits = {};
  /// Before the answer to a handshake that is known to be a good one. Without it, a T{}.
  UpgradeHandler<T> on_upgrade = {};
  std::function<void(WebSocket<T>&)> on_open = {};
  MessageHandler<T> on_message = {};
  /// In place of on_message: what comes of a message, as it comes, whatever its length.
  PieceHandler<T> on_piece = {};
  std::function<void(WebSocket<T>&, std::string_view)> on_ping = {};
  /// The answer to a ping of ours; with Options::ignore_pong off, any other pong, too.
  std::function<void(WebSocket<T>&, std::string_view)> on_pong = {};
  /// After on_backpressure, once no more than BackpressureOptions::low waits.
  std::function<void(WebSocket<T>&)> on_drain = {};
  std::function<void(WebSocket<T>&)> on_backpressure = {};
  /// Why it ends now, when that is nobody's wish: of websocket_category(). on_close follows.
  std::function<void(WebSocket<T>&, const Error&)> on_error = {};
  /// Once for each on_open: what the peer said, or kAbnormal when it said nothing. Sends nothing.
  std::function<void(WebSocket<T>&, CloseCode, std::string_view)> on_close = {};

  /// All but on_upgrade, for sockets of any data.
  [[nodiscard]] Callbacks take_callbacks() && {
    using internal::erase;
    return {erase<T>(std::move(on_open)),         std::move(on_message).take(),
            std::move(on_piece).take(),           erase<T>(std::move(on_ping)),
            erase<T>(std::move(on_pong)),         erase<T>(std::move(on_drain)),
            erase<T>(std::move(on_backpressure)), erase<T>(std::move(on_error)),
            erase<T>(std::move(on_close))};
  }
};

}  // namespace ssx::websocket
