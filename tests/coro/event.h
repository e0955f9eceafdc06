// What the coroutine tests wait for: an event that the test fires by hand, and an owner that notes
// that a Task has finished.
#pragma once

#include <coroutine>
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
    ~Awaiter() { std::erase(event_.waiters_, this); }
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

  void fire() {
    for (Awaiter* const waiter : std::exchange(waiters_, {})) waiter->run();
  }
  [[nodiscard]] std::size_t waiting() const noexcept { return waiters_.size(); }

 private:
  std::vector<Awaiter*> waiters_;
};

/// Counts how often it was told.
class Noted final : public Continuation {
 public:
  Noted() noexcept
      : Continuation([](Continuation& self) noexcept { ++static_cast<Noted&>(self).times; }) {}
  int times = 0;
};

}  // namespace ssx
