#include "websocket/handle.h"

#include "ssxrver/net/connections.h"
#include "websocket/session.h"

namespace ssx::websocket {

bool WebSocketHandle::post(UniqueFunction<void(WebSocketBase&)> function) const {
  return loop_.post([table = table_, slot = slot_, function = std::move(function)]() mutable {
    net::Connection* const there = table->find(slot);
    if (there == nullptr) return;
    static_cast<Session&>(there->protocol()).run(function);
  });
}

bool WebSocketHandle::send(std::string text) const {
  return post([text = std::move(text)](WebSocketBase& socket) { socket.send(text); });
}

bool WebSocketHandle::send_binary(std::string bytes) const {
  return post(
      [bytes = std::move(bytes)](WebSocketBase& socket) { socket.send_binary(as_bytes(bytes)); });
}

bool WebSocketHandle::send(PreparedMessage message) const {
  return post([message = std::move(message)](WebSocketBase& socket) { socket.send(message); });
}

bool WebSocketHandle::close(CloseCode code, std::string reason) const {
  return post(
      [code, reason = std::move(reason)](WebSocketBase& socket) { socket.close(code, reason); });
}

}  // namespace ssx::websocket
