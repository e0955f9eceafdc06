// Task<T>: a coroutine that runs when it is awaited and hands its result, or its exception, back.
//
// Thread: that of whoever starts it; it resumes where what it awaits resumes it
// Owner:  the Task object. Destroying a Task cancels it: the frame goes, and with it every object
//         and every Task in it. Only a suspended Task may be destroyed, never one from inside
//         its own run
// Life:   lazy: nothing runs before co_await or start(); one awaiter, once
// Bounds: one frame, from FramePool; the stack is as deep as Tasks are nested, however many finish
//         without suspending (measured: GCC 12 makes no tail call of symmetric transfer at -O0)
//
//   Task<int> twice(int value) { co_return 2 * value; }
//   Task<> user() { const int four = co_await twice(2); }
//
// Three traps of GCC 12 (docs/internals/coroutines.md): no aggregate and no capturing lambda as a
// temporary inside a co_await expression (name it first), and no symmetric transfer.
#pragma once

#include <concepts>
#include <coroutine>
#include <exception>
#include <type_traits>
#include <utility>
#include <variant>

#include "ssxrver/base/assert.h"
#include "ssxrver/coro/continuation.h"
#include "ssxrver/coro/frame_pool.h"

namespace ssx {

template <class T = void>
class Task;

/// Who detached the outermost Task of a chain; null when nobody did. Each layer that detaches
/// derives from it; every Task of the chain carries the pointer.
class TaskRoot {
 protected:
  TaskRoot() = default;
  ~TaskRoot() = default;
};

namespace internal {

class TaskPromiseBase {
 public:
  static void* operator new(std::size_t bytes) { return FramePool::allocate(bytes); }
  static void operator delete(void* frame, std::size_t bytes) noexcept {
    FramePool::deallocate(frame, bytes);
  }

  /// Runs the continuation, which may destroy the frame: nothing is touched afterwards.
  class FinalAwaiter {
   public:
    explicit FinalAwaiter(TaskPromiseBase& promise) noexcept : promise_(promise) {}
    bool await_ready() const noexcept { return false; }
    void await_suspend(std::coroutine_handle<>) const noexcept {
      if (Continuation* const then = promise_.then_) then->run();
    }
    void await_resume() const noexcept {}

   private:
    TaskPromiseBase& promise_;
  };

  std::suspend_always initial_suspend() const noexcept { return {}; }
  FinalAwaiter final_suspend() noexcept { return FinalAwaiter(*this); }

  [[nodiscard]] TaskRoot* root() const noexcept { return root_; }

 private:
  template <class T>
  friend class ssx::Task;
  Continuation* then_ = nullptr;  ///< set only once the Task has suspended: see Task::start
  TaskRoot* root_ = nullptr;
  bool started_ = false;
};

template <class T>
class TaskPromise final : public TaskPromiseBase {
 public:
  Task<T> get_return_object() noexcept;
  template <class U = T>
    requires std::convertible_to<U&&, T>
  void return_value(U&& value) {
    outcome_.template emplace<1>(std::forward<U>(value));
  }
  void unhandled_exception() noexcept { outcome_.template emplace<2>(std::current_exception()); }
  T take() {
    if (outcome_.index() == 2) std::rethrow_exception(std::get<2>(outcome_));
    return std::get<1>(std::move(outcome_));
  }

 private:
  std::variant<std::monostate, T, std::exception_ptr> outcome_;
};

template <>
class TaskPromise<void> final : public TaskPromiseBase {
 public:
  Task<void> get_return_object() noexcept;
  void return_void() const noexcept {}
  void unhandled_exception() noexcept { exception_ = std::current_exception(); }
  void take() const {
    if (exception_ != nullptr) std::rethrow_exception(exception_);
  }

 private:
  std::exception_ptr exception_;
};

}  // namespace internal

template <class T>
class [[nodiscard]] Task {
  static_assert(std::is_void_v<T> || std::is_object_v<T>, "a Task returns a value or nothing");

 public:
  using promise_type = internal::TaskPromise<T>;
  class Awaiter;

  Task() noexcept = default;
  Task(Task&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
  Task& operator=(Task&& other) noexcept {
    if (this != &other) {
      reset();
      handle_ = std::exchange(other.handle_, nullptr);
    }
    return *this;
  }
  ~Task() { reset(); }

  /// co_await std::move(task), or co_await of the call that makes it.
  Awaiter operator co_await() && noexcept { return Awaiter(*this); }

  /// For an owner that is no coroutine. Runs to the first suspension. True: it has finished, take
  /// the result; false: `then` runs once when it finishes, and never when it is destroyed first.
  [[nodiscard]] bool start(Continuation& then, TaskRoot* root = nullptr) {
    SSX_ASSERT(handle_ != nullptr);
    auto& promise = handle_.promise();
    SSX_ASSERT(!promise.started_);
    promise.started_ = true;
    promise.root_ = root;
    handle_.resume();
    // `then` was not set while it ran: a Task that finishes without suspending comes back here
    // instead of running its awaiter on top of itself, and the stack stays flat.
    if (handle_.done()) return true;
    promise.then_ = &then;
    return false;
  }

  /// The value, once; rethrows what the coroutine threw. Requires done().
  T result() {
    SSX_ASSERT(done());
    return handle_.promise().take();
  }

  [[nodiscard]] bool done() const noexcept { return handle_ != nullptr && handle_.done(); }
  /// False once moved from or reset.
  [[nodiscard]] explicit operator bool() const noexcept { return handle_ != nullptr; }

  /// Cancels it, as the destructor does.
  void reset() noexcept {
    if (handle_ != nullptr) std::exchange(handle_, nullptr).destroy();
  }

 private:
  friend promise_type;
  explicit Task(std::coroutine_handle<promise_type> handle) noexcept : handle_(handle) {}
  std::coroutine_handle<promise_type> handle_;
};

template <class T>
class Task<T>::Awaiter final : private CoroutineContinuation {
 public:
  explicit Awaiter(Task& task) noexcept : task_(task) {}
  bool await_ready() const noexcept { return false; }
  template <class Promise>
  bool await_suspend(std::coroutine_handle<Promise> parent) {
    set_handle(parent);
    TaskRoot* root = nullptr;
    if constexpr (std::derived_from<Promise, internal::TaskPromiseBase>) {
      root = parent.promise().root();
    }
    return !task_.start(*this, root);
  }
  T await_resume() { return task_.result(); }

 private:
  Task& task_;
};

template <class T>
Task<T> internal::TaskPromise<T>::get_return_object() noexcept {
  return Task<T>(std::coroutine_handle<TaskPromise>::from_promise(*this));
}
inline Task<void> internal::TaskPromise<void>::get_return_object() noexcept {
  return Task<void>(std::coroutine_handle<TaskPromise>::from_promise(*this));
}

}  // namespace ssx
