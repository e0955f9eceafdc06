#include "websocket/socket.h"

#include <utility>

#include "ssxrver/net/connection.h"
#include "ssxrver/net/connections.h"
#include "websocket/session.h"

namespace ssx::websocket {

Sent WebSocketBase::send(std::string_view text) {
  return session_.send(Opcode::kText, as_bytes(text));
}
Sent WebSocketBase::send_binary(ByteView bytes) { return session_.send(Opcode::kBinary, bytes); }
Sent WebSocketBase::send(const Message& message) {
  return session_.send(message.opcode, message.bytes());
}

Sent WebSocketBase::send(const PreparedMessage& message) { return session_.send(message); }
Sent WebSocketBase::send_file(FileSlice file) { return session_.send_file(std::move(file)); }

bool WebSocketBase::begin_message(Opcode kind, ByteView first) {
  const bool is_data = kind == Opcode::kText || kind == Opcode::kBinary;
  return is_data && session_.send_fragment(kind, first, false);
}
bool WebSocketBase::continue_message(ByteView fragment, bool is_last) {
  return session_.send_fragment(Opcode::kContinuation, fragment, is_last);
}

bool WebSocketBase::subscribe(std::string_view topic) {
  return session_.subscribe(topic, Session::kPolicyOfRoute);
}
bool WebSocketBase::subscribe(std::string_view topic, BackpressurePolicy policy) {
  return session_.subscribe(topic, static_cast<std::uint8_t>(policy));
}
bool WebSocketBase::unsubscribe(std::string_view topic) { return session_.unsubscribe(topic); }
bool WebSocketBase::is_subscribed(std::string_view topic) const noexcept {
  return session_.is_subscribed(topic);
}
void WebSocketBase::publish(std::string_view topic, const PreparedMessage& message) {
  session_.state().publish(topic, message, &session_);
}
void WebSocketBase::publish(std::string_view topic, const Message& message) {
  publish(topic, PreparedMessage::of(message));
}
void WebSocketBase::publish(std::string_view topic, std::string_view text) {
  publish(topic, PreparedMessage::text(text));
}

Sent WebSocketBase::ping(std::string_view payload) {
  return session_.send_control(Opcode::kPing, as_bytes(payload));
}
Sent WebSocketBase::pong(std::string_view payload) {
  return session_.send_control(Opcode::kPong, as_bytes(payload));
}

void WebSocketBase::close(CloseCode code, std::string_view reason) { session_.close(code, reason); }
void WebSocketBase::reset() { session_.reset(); }

bool WebSocketBase::is_open() const noexcept { return session_.is_open(); }
Duration WebSocketBase::idle_for() const noexcept { return session_.idle_for(); }
void WebSocketBase::touch() noexcept { session_.touch(); }
std::uint64_t WebSocketBase::unsent_bytes() const noexcept { return session_.unsent_bytes(); }
WebSocketHandle WebSocketBase::handle() const noexcept {
  const net::Connection& connection = session_.connection();
  return {connection.loop().handle(), connection.table(), connection.id().slot,
          session_.state().posted};
}
net::ConnectionId WebSocketBase::id() const noexcept { return session_.connection().id(); }
const net::SocketAddress& WebSocketBase::peer() const noexcept {
  return session_.connection().peer();
}
std::string_view WebSocketBase::subprotocol() const noexcept { return session_.subprotocol(); }

}  // namespace ssx::websocket
