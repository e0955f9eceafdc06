// What the WebSockets of a server share: one WorkerState per worker, and the way between them.
//
// Thread: built before the server starts; then publish() any thread, the WorkerStates loop-only
// Owner:  App (or a test)
// Life:   longer than every session
// Bounds: ServiceOptions
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "ssxrver/base/lasting_names.h"
#include "ssxrver/base/lazy.h"
#include "ssxrver/net/disposal.h"
#include "ssxrver/pubsub/hub.h"
#include "websocket/byte_budget.h"
#include "websocket/options.h"
#include "websocket/prepared.h"
#include "websocket/route.h"
#include "websocket/worker_state.h"

namespace ssx::websocket {

class Service {
 public:
  /// `disposal`: where what its handlers share ends; without one, wherever it is let go of. It
  /// outlives this.
  explicit Service(net::Disposal* disposal = nullptr) noexcept : disposal_(disposal) {}

  /// Once, before the server starts.
  void open(unsigned workers, const ServiceOptions& options = {});

  /// Any thread: to all who have subscribed, on every worker.
  void publish(std::string_view topic, const PreparedMessage& message) const;
  void publish(std::string_view topic, std::string_view text) const {
    publish(topic, PreparedMessage::text(text));
  }

  /// Any thread: a route for its handler and its sessions. From here on its label is one that stays
  /// when the route has gone.
  [[nodiscard]] std::shared_ptr<const Route> share(std::unique_ptr<Route> route);

  [[nodiscard]] WorkerState& worker(std::uint32_t index) const noexcept { return *workers_[index]; }
  [[nodiscard]] std::size_t worker_count() const noexcept { return workers_.size(); }
  [[nodiscard]] const ServiceOptions& options() const noexcept { return options_; }
  /// Any thread. The first to subscribe makes it.
  [[nodiscard]] pubsub::Hub& hub() { return hub_.get(static_cast<unsigned>(workers_.size())); }
  [[nodiscard]] ByteBudget& deflate_budget() const noexcept { return *deflate_budget_; }

 private:
  friend class WorkerState;
  /// Null when nobody subscribes to it.
  [[nodiscard]] pubsub::TopicRef find(std::string_view topic) const;
  /// Once to each worker that has subscribers, but not to `except`.
  void post(const pubsub::Topic& topic, const PreparedMessage& message,
            std::optional<unsigned> except) const;

  net::Disposal* const disposal_;
  Lazy<LastingNames> labels_;
  ServiceOptions options_;
  std::unique_ptr<ByteBudget> deflate_budget_;  ///< goes after those that take from it
  Lazy<pubsub::Hub> hub_;
  std::vector<std::unique_ptr<WorkerState>> workers_;
};

}  // namespace ssx::websocket
