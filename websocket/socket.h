// A handler's side of a WebSocket: sends, closes, and holds what the program keeps for it.
//
// Thread: loop-only: that of its worker, on which every handler of it is called
// Owner:  its session
// Life:   on_open .. on_close; a handler that has it may use it until it returns, a coroutine until
//         it ends
// Bounds: BackpressureOptions
//
//   .on_message = [](WebSocket<Member>& socket, Message message) {
//     if (socket->is_muted) return;
//     socket.send(message);
//   }
#pragma once

#include <cstdint>
#include <string_view>
#include <utility>

#include "ssxrver/base/bytes.h"
#include "ssxrver/base/clock.h"
#include "ssxrver/base/out_queue.h"
#include "ssxrver/net/connection_id.h"
#include "ssxrver/net/socket_address.h"
#include "websocket/close_code.h"
#include "websocket/handle.h"
#include "websocket/message.h"
#include "websocket/options.h"
#include "websocket/prepared.h"

namespace ssx::websocket {

class Session;

/// What became of a message that was to be sent.
enum class Sent : std::uint8_t {
  kOk,       ///< it leaves
  kAbove,    ///< it leaves later: more than BackpressureOptions::high waits, or others in front
  kDropped,  ///< there is no room, and the policy does not close
  kClosed,   ///< the WebSocket is closing, has closed, or has been closed for this
};

class WebSocketBase {
 public:
  WebSocketBase(const WebSocketBase&) = delete;
  WebSocketBase& operator=(const WebSocketBase&) = delete;

  Sent send(std::string_view text);
  Sent send_binary(ByteView bytes);
  /// As it came: a text as a text.
  Sent send(const Message& message);
  /// Its frame is made, and compressed, once for many.
  Sent send(const PreparedMessage& message);
  /// A file, or a part of one, as one binary message, without reading it into memory. A server's
  /// alone; not while messages wait, or leave in fragments (kDropped).
  Sent send_file(FileSlice file);

  // A message in fragments (RFC 6455 5.4): the first names the kind, the last says so. Others that
  // are sent meanwhile leave behind it. False when this is not the turn of it, or there is no room.
  [[nodiscard]] bool begin_message(Opcode kind, ByteView first);
  [[nodiscard]] bool continue_message(ByteView fragment, bool is_last);

  // Topics: what somebody publishes reaches those who have subscribed, on all workers.
  /// False: Options::subscriptions_max, or it is closing. Again: takes the new policy.
  [[nodiscard]] bool subscribe(std::string_view topic);
  /// Messages of this topic have a policy of their own.
  [[nodiscard]] bool subscribe(std::string_view topic, BackpressurePolicy policy);
  /// False: it had not subscribed.
  bool unsubscribe(std::string_view topic);
  [[nodiscard]] bool is_subscribed(std::string_view topic) const noexcept;
  /// To all others who have subscribed, whether or not this one has (Service::publish: to all).
  void publish(std::string_view topic, const PreparedMessage& message);
  void publish(std::string_view topic, const Message& message);
  void publish(std::string_view topic, std::string_view text);

  /// At most 125 bytes; what is longer is cut.
  Sent ping(std::string_view payload = {});
  Sent pong(std::string_view payload = {});

  /// Says that nothing more comes and waits for the peer to say the same (Options::close_timeout).
  /// A code that may not be sent is kNormal. Idempotent.
  void close(CloseCode code = CloseCode::kNormal, std::string_view reason = {});
  /// Without a close frame, with RST.
  void reset();

  [[nodiscard]] bool is_open() const noexcept;
  /// Since a part of a message has come, a coroutine was done with one, or touch(); up to 1.05 ms
  /// more.
  [[nodiscard]] Duration idle_for() const noexcept;
  /// Options::idle_timeout and read_timeout begin anew: the peer is there for a reason that nothing
  /// of it tells.
  void touch() noexcept;
  /// Bytes sent and not yet taken by the system.
  [[nodiscard]] std::uint64_t unsent_bytes() const noexcept;
  /// The way to it for other threads.
  [[nodiscard]] WebSocketHandle handle() const noexcept;
  /// Names it.
  [[nodiscard]] net::ConnectionId id() const noexcept;
  [[nodiscard]] const net::SocketAddress& peer() const noexcept;
  /// That was agreed on; empty = none.
  [[nodiscard]] std::string_view subprotocol() const noexcept;
  [[nodiscard]] std::uint32_t worker() const noexcept { return id().worker; }

 protected:
  explicit WebSocketBase(Session& session) noexcept : session_(session) {}
  ~WebSocketBase() = default;

 private:
  Session& session_;
};

/// With what on_upgrade has made of the request: `socket->room`.
template <class T>
class WebSocket final : public WebSocketBase {
 public:
  WebSocket(Session& session, T data) : WebSocketBase(session), data_(std::move(data)) {}

  [[nodiscard]] T& operator*() noexcept { return data_; }
  [[nodiscard]] T* operator->() noexcept { return &data_; }

 private:
  [[no_unique_address]] T data_;
};

}  // namespace ssx::websocket
