// What the coroutine tests wait for: an event that the test fires by hand, and an owner that notes
// that a Task has finished.
#pragma once

#include <gtest/gtest.h>

#include <coroutine>
#include <cstddef>
#include <utility>
#include <vector>

#include "ssxrver/coro/continuation.h"
#include "ssxrver/coro/task.h"

namespace ssx {

/// co_await event: suspends until fire(). Forgets waiters whose coroutine was destroyed.
class Event {
 public:
  class Awaiter final : private CoroutineContinuation {
   public:
    explicit Awaiter(Event& event) noexcept : event_(event) {}
    ~Awaiter() {
      std::erase(event_.waiters_, this);
      std::erase(event_.due_, this);
    }
    bool await_ready() const noexcept { return false; }
    void await_suspend(std::coroutine_handle<> handle) {
      set_handle(handle);
      event_.waiters_.push_back(this);
    }
    void await_resume() const noexcept {}

   private:
    friend class Event;
    Event& event_;
  };

  Awaiter operator co_await() noexcept { return Awaiter(*this); }

  /// Whoever waits now, in order; one may cancel another.
  void fire() {
    for (Awaiter* const waiter : std::exchange(waiters_, {})) due_.push_back(waiter);
    while (!due_.empty()) {
      Awaiter* const waiter = due_.front();
      due_.erase(due_.begin());
      waiter->run();
    }
  }
  [[nodiscard]] std::size_t waiting() const noexcept { return waiters_.size(); }

 private:
  std::vector<Awaiter*> waiters_;
  std::vector<Awaiter*> due_;  ///< of the fire() under way
};

/// Counts how often it was told.
class Noted final : public Continuation {
 public:
  Noted() noexcept
      : Continuation([](Continuation& self) noexcept { ++static_cast<Noted&>(self).times; }) {}
  int times = 0;
};

/// The result of a Task that waits for nothing.
template <class T>
T run_now(Task<T> task) {
  Noted noted;
  EXPECT_TRUE(task.start(noted));
  return task.result();
}

}  // namespace ssx
