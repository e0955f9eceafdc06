#include "websocket/handle.h"

#include "ssxrver/net/connections.h"
#include "websocket/session.h"

namespace ssx::websocket {

bool WebSocketHandle::send(std::string text) const {
  const std::size_t size = text.size();
  return take(size) &&
         post_taken(size, [text = std::move(text)](WebSocketBase& socket) { socket.send(text); });
}

bool WebSocketHandle::send_binary(std::string bytes) const {
  const std::size_t size = bytes.size();
  return take(size) && post_taken(size, [bytes = std::move(bytes)](WebSocketBase& socket) {
           socket.send_binary(as_bytes(bytes));
         });
}

bool WebSocketHandle::send(PreparedMessage message) const {
  const std::size_t size = message.frame().size();
  return take(size) && post_taken(size, [message = std::move(message)](WebSocketBase& socket) {
           socket.send(message);
         });
}

bool WebSocketHandle::close(CloseCode code, std::string reason) const {
  posted_->take(WorkerState::kPostedEach);
  return post_taken(
      0, [code, reason = std::move(reason)](WebSocketBase& socket) { socket.close(code, reason); });
}

bool WebSocketHandle::post(UniqueFunction<void(WebSocketBase&)> function) const {
  return take(0) && post_taken(0, std::move(function));
}

bool WebSocketHandle::take(std::size_t bytes) const noexcept {
  return posted_->try_take(bytes + WorkerState::kPostedEach);
}

bool WebSocketHandle::post_taken(std::size_t bytes,
                                 UniqueFunction<void(WebSocketBase&)> function) const {
  return loop_.post([table = table_, slot = slot_, posted = posted_, bytes,
                     function = std::move(function)]() mutable {
    posted->give_back(bytes + WorkerState::kPostedEach);
    net::Connection* const there = table->find(slot);
    if (there == nullptr) return;
    static_cast<Session&>(there->protocol()).run(function);
  });
}

}  // namespace ssx::websocket
