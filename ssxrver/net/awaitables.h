// What a coroutine on a loop can wait for: a time, the next turn, another loop.
//
// Thread: co_await on a loop; it continues on that loop (resume_on: on the other one)
// Owner:  the awaiting frame
// Life:   destroying the frame takes the wait back: a timer is cancelled, nothing fires later
// Bounds: one timer, or one list hook, per wait
#pragma once

#include <concepts>
#include <coroutine>

#include "ssxrver/base/assert.h"
#include "ssxrver/base/clock.h"
#include "ssxrver/coro/task.h"
#include "ssxrver/net/event_loop.h"
#include "ssxrver/net/loop_continuation.h"
#include "ssxrver/net/spawn.h"

namespace ssx::net {

class SleepAwaiter final : private LoopContinuation {
 public:
  explicit SleepAwaiter(TimePoint when) noexcept : when_(when) {}
  explicit SleepAwaiter(Duration delay) noexcept : delay_(delay), relative_(true) {}
  ~SleepAwaiter() {
    if (loop_ == nullptr) return;
    loop_->assert_in_loop_thread();
    loop_->cancel(timer_);
  }
  bool await_ready() const noexcept { return false; }
  void await_suspend(std::coroutine_handle<> handle) {
    EventLoop* const loop = EventLoop::current();
    SSX_ASSERT(loop != nullptr);
    loop->assert_in_loop_thread();
    set_handle(handle);
    loop_ = loop;
    auto fire = [this] { run(); };
    timer_ = relative_ ? loop->run_after(delay_, fire) : loop->run_at(when_, fire);
  }
  void await_resume() noexcept { loop_ = nullptr; }

 private:
  TimePoint when_{};
  Duration delay_{};
  bool relative_ = false;
  EventLoop* loop_ = nullptr;  ///< set while the timer runs
  TimerId timer_{};
};

class YieldAwaiter final : private TurnEnd, private LoopContinuation {
 public:
  YieldAwaiter() noexcept = default;
  bool await_ready() const noexcept { return false; }
  void await_suspend(std::coroutine_handle<> handle) {
    EventLoop* const loop = EventLoop::current();
    SSX_ASSERT(loop != nullptr);
    set_handle(handle);
    loop->at_turn_end(*this);
  }
  void await_resume() const noexcept {}

 private:
  void on_turn_end() override { run(); }
};

class ResumeOnAwaiter {
 public:
  explicit ResumeOnAwaiter(EventLoop& there) noexcept : there_(there) {}
  bool await_ready() const noexcept { return EventLoop::current() == &there_; }
  template <class Promise>
    requires std::derived_from<Promise, ssx::internal::TaskPromiseBase>
  void await_suspend(std::coroutine_handle<Promise> handle) {
    TaskRoot* const root = handle.promise().root();
    SSX_ASSERT(root != nullptr);  // only a spawned Task owns all of itself
    static_cast<internal::DetachedTask*>(root)->move_to(there_, handle);
  }
  void await_resume() const noexcept {}

 private:
  EventLoop& there_;
};

/// Continues after `delay`, by the loop's clock. Zero and less: in this turn or the next.
[[nodiscard]] inline SleepAwaiter sleep_for(Duration delay) noexcept { return SleepAwaiter(delay); }
[[nodiscard]] inline SleepAwaiter sleep_until(TimePoint when) noexcept {
  return SleepAwaiter(when);
}

/// Continues at the end of this turn; when that is where it is, at the end of the next. A loop of
/// yields so lets everything else that is ready go first, once per round.
[[nodiscard]] inline YieldAwaiter yield() noexcept { return YieldAwaiter(); }

/// Continues on the other loop, with everything that awaits the Task and everything in its frames:
/// the whole chain must have been detached by spawn(). Leave what belongs to this loop (streams,
/// timers) before. When the other loop has ended, the Task is destroyed.
[[nodiscard]] inline ResumeOnAwaiter resume_on(EventLoop& there) noexcept {
  return ResumeOnAwaiter(there);
}

}  // namespace ssx::net
