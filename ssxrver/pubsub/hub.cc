#include "ssxrver/pubsub/hub.h"

#include "ssxrver/base/assert.h"

namespace ssx::pubsub {

TopicRef Hub::enter(std::string_view name, unsigned worker, const net::EventLoop& loop) {
  const std::lock_guard lock(mutex_);
  if (!loops_[worker]) loops_[worker] = loop.handle();
  auto found = topics_.find(name);
  if (found == topics_.end()) {
    found = topics_.emplace(name, std::make_shared<Topic>(name, worker_count())).first;
  }
  Topic& topic = *found->second;
  const bool was_in = topic.entered_[worker].exchange(true, std::memory_order_release);
  SSX_ASSERT(!was_in);
  ++topic.entered_count_;
  return found->second;
}

void Hub::leave(const Topic& left, unsigned worker) {
  const std::lock_guard lock(mutex_);
  const auto found = topics_.find(left.name());
  SSX_ASSERT(found != topics_.end() && found->second.get() == &left);
  Topic& topic = *found->second;
  topic.entered_[worker].store(false, std::memory_order_relaxed);
  if (--topic.entered_count_ == 0) topics_.erase(found);
}

TopicRef Hub::find(std::string_view name) const {
  const std::lock_guard lock(mutex_);
  const auto found = topics_.find(name);
  return found == topics_.end() ? nullptr : found->second;
}

}  // namespace ssx::pubsub
