// A handler's side of a WebSocket: ssx::WebSocket<T>, through the border.
//
// Thread: loop-only: that of its worker. WebSocketHandle: any thread
// Owner:  the host has the socket, the plugin its data
// Life:   on_open .. on_close; a coroutine that has it may use it until it ends
// Bounds: `websocket` of the configuration, and WebSocketOptions
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "ssxrver/plugin/sdk/response.h"
#include "ssxrver/plugin/sdk/tables.h"
#include "websocket/close_code.h"

namespace ssx::plugin {

using websocket::CloseCode;

enum class Opcode : std::uint8_t { kText = SSXRVER_OP_TEXT, kBinary = SSXRVER_OP_BINARY };

/// What became of a message that was to be sent.
enum class Sent : std::uint8_t {
  kOk = SSXRVER_SENT_OK,            ///< it leaves
  kAbove = SSXRVER_SENT_ABOVE,      ///< it leaves later: much waits in front of it
  kDropped = SSXRVER_SENT_DROPPED,  ///< there is no room
  kClosed = SSXRVER_SENT_CLOSED,    ///< the WebSocket is closing, or has closed
};

struct Message {
  std::string_view payload;
  Opcode opcode = Opcode::kText;

  [[nodiscard]] bool is_text() const noexcept { return opcode == Opcode::kText; }
};

/// A text may be cut inside of a character.
struct Piece {
  std::string_view payload;
  Opcode opcode = Opcode::kText;
  bool begins = false;  ///< the first of its message
  bool ends = false;    ///< the last of its message
};

/// The way to a WebSocket for other threads, and for later. When the socket has closed, what is
/// sent to it is a counted no-op.
class WebSocketHandle {
 public:
  WebSocketHandle(ssxrver_context* context, ssxrver_socket_id id) noexcept
      : context_(context), id_(id) {}

  bool send(std::string_view text) const { return send(SSXRVER_OP_TEXT, text); }
  bool send_binary(std::string_view bytes) const { return send(SSXRVER_OP_BINARY, bytes); }
  bool close(CloseCode code = CloseCode::kNormal, std::string_view reason = {}) const {
    return internal::tables.websocket->close_by_id(context_, id_, websocket::to_int(code),
                                                   internal::to_text(reason)) == SSXRVER_OK;
  }

 private:
  [[nodiscard]] bool send(std::uint32_t opcode, std::string_view payload) const {
    return internal::tables.websocket->send_to(context_, id_, opcode, internal::to_text(payload)) ==
           SSXRVER_OK;
  }

  ssxrver_context* context_;
  ssxrver_socket_id id_;
};

class WebSocketBase {
 public:
  WebSocketBase(const WebSocketBase&) = delete;
  WebSocketBase& operator=(const WebSocketBase&) = delete;

  Sent send(std::string_view text) { return send(SSXRVER_OP_TEXT, text); }
  Sent send_binary(std::string_view bytes) { return send(SSXRVER_OP_BINARY, bytes); }
  /// As it came: a text as a text.
  Sent send(const Message& message) {
    return send(static_cast<std::uint32_t>(message.opcode), message.payload);
  }

  // Topics: what somebody publishes reaches those who have subscribed, on all workers.
  [[nodiscard]] bool subscribe(std::string_view topic) {
    return table().subscribe(raw_, internal::to_text(topic)) != 0;
  }
  bool unsubscribe(std::string_view topic) {
    return table().unsubscribe(raw_, internal::to_text(topic)) != 0;
  }
  [[nodiscard]] bool is_subscribed(std::string_view topic) const noexcept {
    return table().is_subscribed(raw_, internal::to_text(topic)) != 0;
  }
  /// To all others who have subscribed, whether or not this one has.
  void publish(std::string_view topic, std::string_view text) {
    publish(topic, Message{text, Opcode::kText});
  }
  void publish(std::string_view topic, const Message& message) {
    table().publish_others(raw_, internal::to_text(topic),
                           static_cast<std::uint32_t>(message.opcode),
                           internal::to_text(message.payload));
  }

  /// At most 125 bytes; what is longer is cut.
  Sent ping(std::string_view payload = {}) {
    return static_cast<Sent>(table().ping(raw_, internal::to_text(payload)));
  }
  void close(CloseCode code = CloseCode::kNormal, std::string_view reason = {}) {
    table().close(raw_, websocket::to_int(code), internal::to_text(reason));
  }
  /// Without a close frame, with RST.
  void reset() { table().reset(raw_); }

  [[nodiscard]] bool is_open() const noexcept { return table().is_open(raw_) != 0; }
  [[nodiscard]] std::uint64_t unsent_bytes() const noexcept { return table().unsent_bytes(raw_); }
  /// That was agreed on; empty = none.
  [[nodiscard]] std::string_view subprotocol() const noexcept {
    return internal::to_view(table().subprotocol(raw_));
  }
  [[nodiscard]] std::string peer() const {
    std::string text(128, '\0');
    text.resize(table().peer(raw_, text.data(), text.size()));
    return text;
  }
  [[nodiscard]] std::uint32_t worker() const noexcept { return table().worker(raw_); }
  [[nodiscard]] WebSocketHandle handle() const noexcept { return {context_, table().id(raw_)}; }

 protected:
  explicit WebSocketBase(ssxrver_context* context) noexcept : context_(context) {}
  ~WebSocketBase() = default;

  /// Before on_open.
  void bind(ssxrver_socket* raw) noexcept { raw_ = raw; }

 private:
  static const ssxrver_websocket& table() noexcept { return *internal::tables.websocket; }
  Sent send(std::uint32_t opcode, std::string_view payload) {
    return static_cast<Sent>(table().send(raw_, opcode, internal::to_text(payload)));
  }

  ssxrver_context* context_;
  ssxrver_socket* raw_ = nullptr;
};

namespace internal {
template <class T>
class SocketRoute;
}

/// With what on_upgrade has made of the request: `socket->room`.
template <class T>
class WebSocket final : public WebSocketBase {
 public:
  WebSocket(ssxrver_context* context, T data) : WebSocketBase(context), data_(std::move(data)) {}

  [[nodiscard]] T& operator*() noexcept { return data_; }
  [[nodiscard]] T* operator->() noexcept { return &data_; }

 private:
  friend class internal::SocketRoute<T>;
  T data_;
};

/// The answer that a client gets instead of a WebSocket: a status of 400 or more.
struct Rejection {
  Response answer;
};
[[nodiscard]] inline Rejection reject(Response answer) { return {std::move(answer)}; }
[[nodiscard]] inline Rejection reject(Status status) { return {Response(status)}; }

/// What on_upgrade answers: the data of a new socket, or that there will be none.
template <class T>
class Upgrade {
 public:
  Upgrade(T data) : outcome_(std::move(data)) {}                    // NOLINT: as ssx::Upgrade
  Upgrade(Rejection rejection) : outcome_(std::move(rejection)) {}  // NOLINT: as ssx::Upgrade

  /// A field for the 101.
  Upgrade& set(std::string_view name, std::string_view value) {
    fields_.emplace_back(name, value);
    return *this;
  }

  [[nodiscard]] bool is_rejected() const noexcept {
    return std::holds_alternative<Rejection>(outcome_);
  }
  [[nodiscard]] T take_data() { return std::get<T>(std::move(outcome_)); }
  [[nodiscard]] Response take_answer() { return std::get<Rejection>(std::move(outcome_)).answer; }
  using Fields = std::vector<std::pair<std::string, std::string>>;
  [[nodiscard]] Fields take_fields() noexcept { return std::move(fields_); }

 private:
  std::variant<T, Rejection> outcome_;
  Fields fields_;
};

}  // namespace ssx::plugin
