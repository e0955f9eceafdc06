// Time, other threads and other loops, as handlers of a plugin use them.
//
// Thread: each says its own
// Owner:  -
// Life:   what is waited for is taken back with the frame that waits
// Bounds: those of the daemon: tasks.queue_limit
#pragma once

#include <chrono>
#include <concepts>
#include <coroutine>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>
#include <variant>

#include "ssxrver/plugin/sdk/error.h"
#include "ssxrver/plugin/sdk/tables.h"
#include "ssxrver/plugin/sdk/wait.h"

namespace ssx::plugin {

using Duration = std::chrono::nanoseconds;

class [[nodiscard]] SleepAwaiter final : private internal::HostWait {
 public:
  explicit SleepAwaiter(Duration delay) noexcept : delay_(delay) {}
  bool await_ready() const noexcept { return false; }
  bool await_suspend(std::coroutine_handle<> handle) noexcept {
    return suspend(handle,
                   internal::tables.loops->sleep(nullptr, delay_.count(), waiter(), slot()));
  }
  void await_resume() const noexcept {}

 private:
  Duration delay_;
};

/// co_await: continues on this loop after `delay`.
inline SleepAwaiter sleep_for(Duration delay) noexcept { return SleepAwaiter(delay); }

class Timer;

namespace internal {

/// What a timer calls; it goes when the host says that the timer has ended, whoever ended it.
struct TimerState {
  std::function<void()> fire;
  Timer* owner;
  ssxrver_timer* raw = nullptr;

  static void run(void* state);
  static void release(void* state);
};

}  // namespace internal

/// A timer of the plugin's: stops when it is destroyed, on the loop that started it. That it has
/// fired for the last time, or that its loop was left, it knows.
class Timer {
 public:
  Timer() = default;
  /// On a loop; elsewhere it never fires.
  Timer(ssxrver_context* context, Duration delay, Duration interval, std::function<void()> fire)
      : state_(new internal::TimerState{std::move(fire), this}) {
    // Whatever comes of it, the state is released: then there is nothing to write to.
    ssxrver_timer* raw = nullptr;
    const std::int32_t status = internal::tables.loops->timer(
        context, delay.count(), interval.count(), &internal::TimerState::run,
        &internal::TimerState::release, state_, &raw);
    if (status == SSXRVER_OK) state_->raw = raw;
  }
  Timer(Timer&& other) noexcept { take(other); }
  Timer& operator=(Timer&& other) noexcept {
    if (this != &other) {
      cancel();
      take(other);
    }
    return *this;
  }
  ~Timer() { cancel(); }

  void cancel() noexcept {
    if (state_ == nullptr) return;
    state_->owner = nullptr;
    internal::tables.loops->cancel_timer(std::exchange(state_, nullptr)->raw);
  }
  /// It will fire, or fires.
  [[nodiscard]] bool is_running() const noexcept { return state_ != nullptr; }

 private:
  friend internal::TimerState;

  void take(Timer& other) noexcept {
    state_ = std::exchange(other.state_, nullptr);
    if (state_ != nullptr) state_->owner = this;
  }

  internal::TimerState* state_ = nullptr;
};

inline void internal::TimerState::run(void* state) {
  try {
    static_cast<TimerState*>(state)->fire();
  } catch (...) {  // nobody is there to be told
  }
}
inline void internal::TimerState::release(void* state) {
  auto* const ended = static_cast<TimerState*>(state);
  if (ended->owner != nullptr) ended->owner->state_ = nullptr;
  delete ended;
}

namespace internal {

/// A function on its way through the border.
template <class F>
struct Carried {
  static void* make(F&& fn) { return std::make_unique<F>(std::forward<F>(fn)).release(); }
  static void run(void* state) {
    try {
      (*static_cast<F*>(state))();
    } catch (...) {  // nobody is there to be told
    }
  }
  static void release(void* state) { delete static_cast<F*>(state); }
};

}  // namespace internal

/// The task threads of the daemon.
class Tasks {
 public:
  template <class Work>
  class [[nodiscard]] Job;

  explicit Tasks(ssxrver_context* context) noexcept : context_(context) {}

  /// co_await the Job that it returns, once, on a loop: `work` runs on a task thread, the rest
  /// here. A Result of what it gives; rethrows what it threw. Name the Job before you await it (GCC
  /// 12).
  template <class Work>
  [[nodiscard]] Job<std::decay_t<Work>> run(Work&& work) const {
    return Job<std::decay_t<Work>>(context_, std::forward<Work>(work));
  }

 private:
  ssxrver_context* context_;
};

template <class Work>
class Tasks::Job {
  using Value = std::invoke_result_t<Work&>;
  struct Empty {};
  using Kept = std::conditional_t<std::is_void_v<Value>, Empty, Value>;
  /// Written on the task thread, read here when the host says that it has ended.
  using Outcome = std::variant<std::monostate, Kept, std::exception_ptr>;

 public:
  class Awaiter;

  template <class Given>
  Job(ssxrver_context* context, Given&& work)
      : context_(context), work_(std::forward<Given>(work)) {}
  Awaiter operator co_await() & { return Awaiter(*this); }

 private:
  ssxrver_context* context_;
  Work work_;
};

template <class Work>
class Tasks::Job<Work>::Awaiter final : private internal::HostWait {
 public:
  explicit Awaiter(Job& job) : job_(job) {}
  bool await_ready() const noexcept { return false; }
  bool await_suspend(std::coroutine_handle<> handle) {
    auto outcome = std::make_shared<Outcome>();
    outcome_ = outcome;
    auto run = [work = std::move(job_.work_), outcome = std::move(outcome)]() mutable {
      try {
        if constexpr (std::is_void_v<Value>) {
          work();
          outcome->template emplace<1>();
        } else {
          outcome->template emplace<1>(work());
        }
      } catch (...) {
        outcome->template emplace<2>(std::current_exception());
      }
    };
    using Run = internal::Carried<decltype(run)>;
    void* const state = Run::make(std::move(run));
    return suspend(handle, internal::tables.loops->run_task(job_.context_, &Run::run, &Run::release,
                                                            state, waiter(), slot()));
  }
  Result<Value> await_resume() {
    if (status() != SSXRVER_OK) return fail(status());
    if (outcome_->index() == 2) std::rethrow_exception(std::get<2>(*outcome_));
    if constexpr (std::is_void_v<Value>) {
      return {};
    } else {
      return std::get<1>(std::move(*outcome_));
    }
  }

 private:
  Job& job_;
  std::shared_ptr<Outcome> outcome_;
};

}  // namespace ssx::plugin
