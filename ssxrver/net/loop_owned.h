// What one loop made and uses, and something else owns: at the end of that owner, on whatever
// thread, it goes home to be destroyed.
//
// Thread: made and used on one loop; moved and destroyed on any, when that loop uses it no more
// Owner:  for instance a handler, which has one for each worker and ends on the control loop
// Life:   until its loop has run what is posted now; when that has ended, to the end of this
// Bounds: one object, and one post at its end
//
// What lives there may share with others of its loop by counts without atomics (LocalRef): a file
// that a connection is still sending is held by the cache and by the connection.
#pragma once

#include <memory>
#include <optional>
#include <utility>

#include "ssxrver/net/event_loop.h"

namespace ssx::net {

template <class T>
class LoopOwned {
 public:
  LoopOwned() noexcept = default;
  LoopOwned(LoopOwned&&) noexcept = default;
  LoopOwned& operator=(LoopOwned&&) = delete;
  ~LoopOwned() {
    if (made_ == nullptr || !made_->home) return;
    const LoopHandle home = *made_->home;
    home.post([made = std::move(made_)] {});
  }

  /// The object; the first call makes it, of these. A thread without a loop has it too, and it has
  /// no home then.
  template <class... Args>
  T& get(Args&&... args) {
    if (made_ == nullptr) made_ = std::make_unique<Made>(std::forward<Args>(args)...);
    return made_->object;
  }

 private:
  struct Made {
    template <class... Args>
    explicit Made(Args&&... args) : object(std::forward<Args>(args)...) {
      if (const EventLoop* const loop = EventLoop::current()) home = loop->handle();
    }
    T object;
    std::optional<LoopHandle> home;
  };

  std::unique_ptr<Made> made_;
};

}  // namespace ssx::net
