// The way to a WebSocket for threads other than that of its worker.
//
// Thread: any thread; a value
// Owner:  whoever holds it; it owns nothing
// Life:   any. When the socket has closed, what is sent to it is a counted no-op
// Bounds: what is sent waits in the worker's mailbox until its next turn
#pragma once

#include <string>
#include <utility>

#include "ssxrver/base/slot_map.h"
#include "ssxrver/base/unique_function.h"
#include "ssxrver/net/event_loop.h"
#include "websocket/close_code.h"
#include "websocket/prepared.h"

namespace ssx::net {
class Connections;
}

namespace ssx::websocket {

class WebSocketBase;

class WebSocketHandle {
 public:
  WebSocketHandle(net::LoopHandle loop, net::Connections& table, SlotId slot) noexcept
      : loop_(std::move(loop)), table_(&table), slot_(slot) {}

  // In the order of the calls of one thread. False when the worker has ended.
  bool send(std::string text) const;
  bool send_binary(std::string bytes) const;
  bool send(PreparedMessage message) const;
  bool close(CloseCode code = CloseCode::kNormal, std::string reason = {}) const;
  /// Calls it on the socket's worker, if the socket is still there: a WebSocket<T> of its route.
  bool post(UniqueFunction<void(WebSocketBase&)> function) const;

 private:
  net::LoopHandle loop_;
  net::Connections* table_;  ///< is there as long as the loop takes posts
  SlotId slot_;
};

}  // namespace ssx::websocket
