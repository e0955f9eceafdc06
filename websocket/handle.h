// The way to a WebSocket for threads other than that of its worker.
//
// Thread: any thread; a value
// Owner:  whoever holds it; it owns nothing
// Life:   any. When the socket has closed, what is sent to it is a counted no-op
// Bounds: what is sent waits in the worker's mailbox until its next turn: WorkerState::posted
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <utility>

#include "ssxrver/base/slot_map.h"
#include "ssxrver/base/unique_function.h"
#include "ssxrver/net/event_loop.h"
#include "websocket/byte_budget.h"
#include "websocket/close_code.h"
#include "websocket/prepared.h"

namespace ssx::net {
class Connections;
}

namespace ssx::websocket {

class WebSocketBase;

class WebSocketHandle {
 public:
  WebSocketHandle(net::LoopHandle loop, net::Connections& table, SlotId slot,
                  std::shared_ptr<ByteBudget> posted) noexcept
      : loop_(std::move(loop)), table_(&table), slot_(slot), posted_(std::move(posted)) {}

  // In the order of the calls of one thread. False when the worker has ended, or when more waits
  // for it already than ServiceOptions::unsent_max lets wait.
  bool send(std::string text) const;
  bool send_binary(std::string bytes) const;
  bool send(PreparedMessage message) const;
  /// Also when much waits.
  bool close(CloseCode code = CloseCode::kNormal, std::string reason = {}) const;
  /// Calls it on the socket's worker, if the socket is still there: a WebSocket<T> of its route.
  bool post(UniqueFunction<void(WebSocketBase&)> function) const;

 private:
  /// False: so much is not to be posted.
  [[nodiscard]] bool take(std::size_t bytes) const noexcept;
  /// What was taken.
  bool post_taken(std::size_t bytes, UniqueFunction<void(WebSocketBase&)> function) const;

  net::LoopHandle loop_;
  net::Connections* table_;  ///< is there as long as the loop takes posts
  SlotId slot_;
  std::shared_ptr<ByteBudget> posted_;
};

}  // namespace ssx::websocket
