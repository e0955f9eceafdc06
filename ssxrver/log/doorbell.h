// A thread sleeps on it, any other wakes it; ringing is allowed in a signal handler.
//
// Thread: wait() one thread; ring() any thread and any signal handler
// Owner:  whoever sleeps
// Life:   outlives everybody who rings
// Bounds: any number of rings before a wait() count as one
#pragma once

#include <chrono>

#include "ssxrver/base/result.h"
#include "ssxrver/sys/unique_fd.h"

namespace ssx::log {

class Doorbell {
 public:
  static Result<Doorbell> create();

  void ring() const noexcept;
  /// True when it was rung, false when the time was up.
  bool wait(std::chrono::milliseconds time) const noexcept;

 private:
  Doorbell(sys::UniqueFd event, sys::UniqueFd epoll) noexcept;

  sys::UniqueFd event_;
  sys::UniqueFd epoll_;
};

}  // namespace ssx::log
