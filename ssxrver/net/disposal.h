// What several threads share and let go of, destroyed by one loop.
//
// Thread: any; open() and destruction: the thread of the loop
// Owner:  App (or a test), before everything that it shares out
// Life:   longer than every object that it shared out
// Bounds: one entry for each object that waits
//
// The last to let go may be any thread. What it lets go of may be the code and the data of others,
// such as handlers, and those shall hear of their end on a thread that they know, and never in the
// middle of something.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "ssxrver/base/mutex.h"
#include "ssxrver/net/event_loop.h"

namespace ssx::net {

class Disposal {
 public:
  Disposal() noexcept = default;
  Disposal(const Disposal&) = delete;
  Disposal& operator=(const Disposal&) = delete;
  ~Disposal();

  /// From here on `loop` destroys, later and never inline; before, whoever is the last does, and
  /// when the loop has ended, the destructor of this.
  void open(const EventLoop& loop);

  template <class T>
  [[nodiscard]] std::shared_ptr<T> share(std::unique_ptr<T> object) {
    return std::shared_ptr<T>(object.release(), [this](T* last) {
      take({last, [](void* that) { delete static_cast<T*>(that); }});
    });
  }

 private:
  struct Item {
    void* object;
    void (*destroy)(void*);
  };

  void take(Item item);
  void empty();

  Mutex mutex_;
  std::optional<LoopHandle> loop_ SSX_GUARDED_BY(mutex_);
  std::vector<Item> items_ SSX_GUARDED_BY(mutex_);
};

}  // namespace ssx::net
