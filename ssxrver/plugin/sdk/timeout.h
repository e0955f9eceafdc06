// with_timeout(): a Task that is given up when its time has passed.
//
// Thread: co_await on a loop
// Owner:  the awaiting frame; destroying it cancels the task and the timer
// Life:   the task starts with co_await, once
// Bounds: one timer per wait, none for a task that finishes before it waits
//
//   const auto answer = co_await with_timeout(2s, ask(peer));  // Task<T>: a Result<T>
#pragma once

#include <coroutine>
#include <type_traits>
#include <utility>

#include "ssxrver/coro/task.h"
#include "ssxrver/plugin/sdk/error.h"
#include "ssxrver/plugin/sdk/loop.h"

namespace ssx::plugin {

namespace internal {
template <class T>
struct FlatResultOf {
  using type = Result<T>;
};
template <class T>
struct FlatResultOf<Result<T>> {
  using type = Result<T>;
};
}  // namespace internal

template <class T>
class [[nodiscard]] TimeoutAwaiter final : private internal::HostWait {
 public:
  TimeoutAwaiter(Duration time, Task<T>&& task) noexcept
      : finished_(*this), task_(std::move(task)), time_(time) {}
  bool await_ready() const noexcept { return false; }
  bool await_suspend(std::coroutine_handle<> handle) {
    if (task_.start(finished_)) return false;
    return suspend(handle, internal::tables.loops->sleep(nullptr, time_.count(), waiter(), slot()));
  }
  /// SSXRVER_TIMED_OUT when the time has passed: the task is destroyed before this returns.
  typename internal::FlatResultOf<T>::type await_resume() {
    if (!task_.done()) {
      task_.reset();
      return fail(SSXRVER_TIMED_OUT);
    }
    if constexpr (std::is_void_v<T>) {
      task_.result();
      return {};
    } else {
      return task_.result();
    }
  }

 private:
  class Finished final : public ssx::Continuation {
   public:
    explicit Finished(TimeoutAwaiter& owner) noexcept
        : ssx::Continuation([](ssx::Continuation& self) noexcept {
            static_cast<Finished&>(self).owner_.resume_without();
          }),
          owner_(owner) {}

   private:
    TimeoutAwaiter& owner_;
  };

  Finished finished_;
  Task<T> task_;
  Duration time_;
};

template <class T>
TimeoutAwaiter<T> with_timeout(Duration time, Task<T> task) noexcept {
  return TimeoutAwaiter<T>(time, std::move(task));
}

}  // namespace ssx::plugin
