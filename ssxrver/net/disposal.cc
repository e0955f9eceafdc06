#include "ssxrver/net/disposal.h"

#include <utility>

namespace ssx::net {

Disposal::~Disposal() { empty(); }

void Disposal::open(const EventLoop& loop) {
  const MutexLock lock(mutex_);
  loop_ = loop.handle();
}

void Disposal::take(Item item) {
  std::optional<LoopHandle> wake;
  {
    const MutexLock lock(mutex_);
    if (loop_) {
      if (items_.empty()) wake = loop_;
      items_.push_back(item);
      item.object = nullptr;
    }
  }
  if (item.object != nullptr) return item.destroy(item.object);
  if (wake) wake->post([this] { empty(); });
}

// What is destroyed may let go of more.
void Disposal::empty() {
  while (true) {
    std::vector<Item> items;
    {
      const MutexLock lock(mutex_);
      items.swap(items_);
    }
    if (items.empty()) return;
    for (const Item& item : items) item.destroy(item.object);
  }
}

}  // namespace ssx::net
