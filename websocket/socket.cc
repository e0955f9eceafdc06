#include "websocket/socket.h"

#include "ssxrver/net/connection.h"
#include "websocket/session.h"

namespace ssx::websocket {

Sent WebSocketBase::send(std::string_view text) {
  return session_.send(Opcode::kText, as_bytes(text));
}
Sent WebSocketBase::send_binary(ByteView bytes) { return session_.send(Opcode::kBinary, bytes); }
Sent WebSocketBase::send(const Message& message) {
  return session_.send(message.opcode, message.bytes());
}

bool WebSocketBase::begin_message(Opcode kind, ByteView first) {
  const bool is_data = kind == Opcode::kText || kind == Opcode::kBinary;
  return is_data && session_.send_fragment(kind, first, false);
}
bool WebSocketBase::continue_message(ByteView fragment, bool is_last) {
  return session_.send_fragment(Opcode::kContinuation, fragment, is_last);
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
std::uint64_t WebSocketBase::unsent_bytes() const noexcept {
  return session_.connection().unsent_bytes();
}
net::ConnectionId WebSocketBase::id() const noexcept { return session_.connection().id(); }
const net::SocketAddress& WebSocketBase::peer() const noexcept {
  return session_.connection().peer();
}
std::string_view WebSocketBase::subprotocol() const noexcept { return session_.subprotocol(); }

}  // namespace ssx::websocket
