// Does something on every worker's loop, and goes on at home when all have done it.
//
// Thread: begin() on the control thread; `each` on the loops, `then` on the control loop
// Owner:  itself
// Life:   until `then` has returned; with a loop that has ended, `then` is not called
// Bounds: one post per worker
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "ssxrver/base/mutex.h"
#include "ssxrver/base/unique_function.h"
#include "ssxrver/net/event_loop.h"
#include "ssxrver/plugin/host/environment.h"
#include "ssxrver/plugin/host/instance.h"

namespace ssx::plugins {

class LoopRound {
 public:
  /// Called on every worker at the same time.
  using Each = std::function<Outcome<>(std::uint32_t worker)>;
  /// Gets the first error that was found.
  using Then = UniqueFunction<void(Outcome<>)>;

  static void begin(Environment& environment, Each each, Then then);

  LoopRound(Each each, Then then, net::LoopHandle home, std::uint32_t workers)
      : each_(std::move(each)), then_(std::move(then)), home_(std::move(home)), left_(workers) {}

 private:
  void run(std::uint32_t worker);
  void finish();

  const Each each_;
  Then then_;
  const net::LoopHandle home_;
  std::atomic<std::uint32_t> left_;
  Mutex mutex_;
  std::string problem_ SSX_GUARDED_BY(mutex_);
};

}  // namespace ssx::plugins
