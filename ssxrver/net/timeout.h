// with_timeout(), with_deadline(): a Task that is given up when its time has passed.
//
// Thread: co_await on a loop; it continues there, and the task cannot move to another
// Owner:  the awaiting frame; destroying it cancels the task and the timer
// Life:   the task starts with co_await, once: what these functions return can only be awaited
// Bounds: one timer per wait, none for a task that finishes before it waits
//
//   const auto answer = co_await net::with_timeout(2s, ask(peer));    // Task<T>: a Result<T>
//   if (!answer) ...                                                  // answer.error() says which
//
// Errc::kTimedOut when the time has passed: the task is destroyed before the awaiter continues. A
// Task<Result<T>> gives one Result for its own errors and this. What the task throws is thrown in
// the awaiter. By the loop's clock, never before its time; of a task that would finish at the very
// moment, either, as timers of one time fire in the order in which they were set.
#pragma once

#include <coroutine>
#include <type_traits>
#include <utility>

#include "ssxrver/base/assert.h"
#include "ssxrver/base/clock.h"
#include "ssxrver/base/result.h"
#include "ssxrver/coro/continuation.h"
#include "ssxrver/coro/task.h"
#include "ssxrver/net/error.h"
#include "ssxrver/net/event_loop.h"
#include "ssxrver/net/loop_continuation.h"

namespace ssx::net {

template <class T>
class [[nodiscard]] TimeoutAwaiter final : private LoopContinuation {
 public:
  TimeoutAwaiter(Duration time, Task<T>&& task) noexcept
      : finished_(*this), task_(std::move(task)), time_(time), relative_(true) {}
  TimeoutAwaiter(TimePoint when, Task<T>&& task) noexcept
      : finished_(*this), task_(std::move(task)), when_(when) {}
  ~TimeoutAwaiter() { stop_timer(); }

  bool await_ready() const noexcept { return false; }
  bool await_suspend(std::coroutine_handle<> handle) {
    EventLoop* const loop = EventLoop::current();
    SSX_ASSERT(loop != nullptr);
    loop->assert_in_loop_thread();
    set_handle(handle);
    // Of no TaskRoot: resume_on() would take the awaiter along, and leave the timer behind.
    if (task_.start(finished_)) return false;
    loop_ = loop;
    auto fire = [this] { run(); };
    timer_ = relative_ ? loop->run_after(time_, fire) : loop->run_at(when_, fire);
    return true;
  }
  FlatResult<T> await_resume() {
    stop_timer();
    if (!task_.done()) {
      task_.reset();  // the timer's turn: nothing of it is on the stack
      return fail(Errc::kTimedOut, "with_timeout");
    }
    Task<T> task = std::move(task_);
    if constexpr (std::is_void_v<T>) {
      task.result();
      return {};
    } else {
      return task.result();
    }
  }

 private:
  class Finished final : public Continuation {
   public:
    explicit Finished(TimeoutAwaiter& owner) noexcept
        : Continuation(
              [](Continuation& self) noexcept { static_cast<Finished&>(self).owner_.run(); }),
          owner_(owner) {}

   private:
    TimeoutAwaiter& owner_;
  };

  void stop_timer() noexcept {
    EventLoop* const loop = std::exchange(loop_, nullptr);
    if (loop == nullptr) return;
    loop->assert_in_loop_thread();
    loop->cancel(timer_);
  }

  Finished finished_;
  Task<T> task_;
  TimePoint when_{};
  Duration time_{};
  bool relative_ = false;
  EventLoop* loop_ = nullptr;  ///< set while the timer runs
  TimerId timer_{};
};

/// co_await it: a Result<T>, or kTimedOut after `time`. The task begins in any case, so that none
/// at all is enough for one that need not wait.
template <class T>
[[nodiscard]] TimeoutAwaiter<T> with_timeout(Duration time, Task<T> task) noexcept {
  return TimeoutAwaiter<T>(time, std::move(task));
}

/// The same until a time of the loop's clock: several in turn can share one.
template <class T>
[[nodiscard]] TimeoutAwaiter<T> with_deadline(TimePoint when, Task<T> task) noexcept {
  return TimeoutAwaiter<T>(when, std::move(task));
}

}  // namespace ssx::net
