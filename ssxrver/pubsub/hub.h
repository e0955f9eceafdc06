// Which workers have subscribers to a topic, and the way to them.
//
// Thread: any thread; enter() and leave() the worker they name
// Owner:  whoever serves (websocket::Service)
// Life:   longer than the TopicTables of its workers and whoever publishes
// Bounds: one entry for each topic that somebody has subscribed to
//
// A worker that has subscribers of its own to a topic holds a Topic, and publishes without a lock;
// others look the name up below one.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "ssxrver/base/string_hash.h"
#include "ssxrver/net/event_loop.h"

namespace ssx::pubsub {

/// Immutable but for who has entered it.
class Topic : public std::enable_shared_from_this<Topic> {
 public:
  Topic(std::string_view name, unsigned workers) : name_(name), entered_(workers) {}

  [[nodiscard]] const std::string& name() const noexcept { return name_; }
  /// Any thread. One who subscribes at this very moment may be missed, as on any network.
  [[nodiscard]] bool has_subscribers(unsigned worker) const noexcept {
    return entered_[worker].load(std::memory_order_acquire);
  }

 private:
  friend class Hub;
  const std::string name_;
  std::vector<std::atomic<bool>> entered_;  ///< by worker
  unsigned entered_count_ = 0;              ///< below the Hub's lock
};

using TopicRef = std::shared_ptr<const Topic>;

class Hub {
 public:
  explicit Hub(unsigned workers) : loops_(workers) {}

  [[nodiscard]] unsigned worker_count() const noexcept {
    return static_cast<unsigned>(loops_.size());
  }

  /// `worker`, whose loop this is, has its first subscriber.
  TopicRef enter(std::string_view name, unsigned worker, const net::EventLoop& loop);
  /// It has none any more.
  void leave(const Topic& topic, unsigned worker);
  /// Null when nobody subscribes to it.
  [[nodiscard]] TopicRef find(std::string_view name) const;

  /// Posts what make() gives to each worker that has subscribers, but not to `except`: once for
  /// each, and not at all where that is empty. How many of them will run it.
  template <class Make>
  unsigned post(const Topic& topic, std::optional<unsigned> except, Make&& make) const {
    unsigned told = 0;
    for (unsigned worker = 0; worker < loops_.size(); ++worker) {
      if (worker == except || !topic.has_subscribers(worker)) continue;
      net::EventLoop::Function made = make(worker);
      told += made && loops_[worker]->post(std::move(made)) ? 1 : 0;
    }
    return told;
  }

 private:
  mutable std::mutex mutex_;
  std::unordered_map<std::string, std::shared_ptr<Topic>, StringHash, std::equal_to<>> topics_;
  std::vector<std::optional<net::LoopHandle>> loops_;  ///< set once, before its worker enters
};

}  // namespace ssx::pubsub
