// Task threads: blocking work leaves the loop, and its result comes home to the loop that asked.
//
// Thread: run() on a loop; stop() and the destructor on a thread that is neither a loop that waits
//         for the pool nor a task thread
// Owner:  the daemon or the user's main
// Life:   start(), or create() and launch() .. stop(); a loop that asked may end, and be destroyed,
//         while the work goes on
// Bounds: TaskOptions: threads, queue_limit, and what happens when the queue is full
//
//   auto job = pool.run([name] { return read_whole_file(name); });
//   auto text = co_await job;  // a Result of what it returns; what it threw is thrown here
//
//   pool.run(loop, [] { return slow(); }, [](Result<int> value) { ... });   // without a coroutine
//
// Both give an error when the work did not run: net::Errc::kTaskQueueFull, ssx::Errc::kClosed (the
// pool has stopped), ssx::Errc::kUnsupported (no task threads). A coroutine that is cancelled,
// because its client has gone or its time has passed, abandons its work: it does not begin any
// more; if it has begun, its result is dropped, and it is asked to stop if it takes a
// std::stop_token:
//
//   auto job = pool.run([](std::stop_token stop) { while (!stop.stop_requested()) step(); });
//
// Nobody waits for work that was abandoned: it owns what it uses. A std::stop_callback runs on the
// loop, so it must not block.
#pragma once

#include <concepts>
#include <coroutine>
#include <cstdint>
#include <deque>
#include <exception>
#include <memory>
#include <thread>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "ssxrver/base/mutex.h"
#include "ssxrver/base/result.h"
#include "ssxrver/base/thread.h"
#include "ssxrver/base/unique_function.h"
#include "ssxrver/metrics/registry.h"
#include "ssxrver/net/event_loop.h"
#include "ssxrver/net/loop_continuation.h"
#include "ssxrver/net/task_options.h"
#include "ssxrver/net/task_work.h"

namespace ssx::net {

/// Written under the pool's mutex.
struct alignas(64) TaskCounters {
  metrics::Gauge queued;             ///< waiting now
  metrics::Counter done;             ///< ran, here or on a task thread
  metrics::Counter failed;           ///< ran and threw
  metrics::Counter abandoned;        ///< nobody waited any more when it would have begun
  metrics::Counter late;             ///< ran, and nobody waited any more when it ended
  metrics::Counter dropped;          ///< waiting when the pool stopped
  metrics::Counter queue_limit_hit;  ///< limit: queue_limit (whatever `overflow` then did)
  metrics::Counter ran_on_loop;      ///< `overflow` "run_on_loop"
};

inline constexpr metrics::Field<TaskCounters> kTaskFields[] = {
    {"ssxrver_tasks_queued", "Blocking work that waits for a task thread.", &TaskCounters::queued},
    {"ssxrver_tasks_total", "Blocking work by outcome.", &TaskCounters::done, {"end", "done"}},
    {"ssxrver_tasks_total", "Blocking work by outcome.", &TaskCounters::failed, {"end", "failed"}},
    {"ssxrver_tasks_total",
     "Blocking work by outcome.",
     &TaskCounters::abandoned,
     {"end", "abandoned"}},
    {"ssxrver_tasks_total", "Blocking work by outcome.", &TaskCounters::late, {"end", "late"}},
    {"ssxrver_tasks_total",
     "Blocking work by outcome.",
     &TaskCounters::dropped,
     {"end", "dropped"}},
    {"ssxrver_task_queue_limit_hits_total", "How often tasks.queue_limit was reached.",
     &TaskCounters::queue_limit_hit},
    {"ssxrver_tasks_ran_on_loop_total",
     "Blocking work that ran on a loop because the queue was full.", &TaskCounters::ran_on_loop},
};

class TaskPool {
 public:
  /// What happens to work that waits when the pool stops.
  enum class Pending : std::uint8_t { kRun, kDrop };

  template <class Work>
  class [[nodiscard]] Job;

  static Result<std::unique_ptr<TaskPool>> start(const TaskOptions& options);
  /// Without its threads: what it is asked waits in the queue until launch(). For who needs a pool
  /// to refer to before there may be threads.
  static std::unique_ptr<TaskPool> create(const TaskOptions& options);
  /// Starts its threads: once, before stop(). After an error the pool can only be destroyed.
  Result<void> launch();
  TaskPool(const TaskPool&) = delete;
  TaskPool& operator=(const TaskPool&) = delete;
  ~TaskPool() { stop(Pending::kDrop); }

  /// co_await the Job that it returns, once, on a loop. Nothing happens before.
  template <class Work>
  [[nodiscard]] Job<std::decay_t<Work>> run(Work&& work) {
    return Job<std::decay_t<Work>>(*this, std::forward<Work>(work));
  }

  /// `then` gets a Result on `home`, always later. Work that throws is logged and gives
  /// kTaskFailed. When `home` has ended meanwhile, `then` is destroyed without being called.
  template <class Work, class Then>
  void run(EventLoop& home, Work work, Then then);

  /// Takes no more work and returns when every thread has been joined. Twice is once.
  void stop(Pending pending);

  [[nodiscard]] const TaskOptions& options() const noexcept { return options_; }
  [[nodiscard]] const TaskCounters& counters() const noexcept { return counters_; }

 private:
  enum class End : std::uint8_t { kDone, kFailed, kAbandoned, kLate };
  /// Called once: with null to run, with the reason when it will not run. In either case it sees
  /// to it that whoever asked is told.
  using Entry = UniqueFunction<End(const Error* refused)>;
  enum class Admission : std::uint8_t { kQueue, kRunHere, kFull, kClosed, kNoThreads };

  explicit TaskPool(const TaskOptions& options) : options_(options) {}

  void submit(Entry entry);
  Admission admit() SSX_REQUIRES(mutex_);
  void work();
  void count(End end) SSX_REQUIRES(mutex_);

  const TaskOptions options_;
  TaskCounters counters_;

  Mutex mutex_;
  CondVar arrived_;  ///< work, or the end
  CondVar room_;     ///< in the queue, or the end
  std::deque<Entry> queue_ SSX_GUARDED_BY(mutex_);
  std::vector<std::thread::id> ids_ SSX_GUARDED_BY(mutex_);  ///< of the task threads
  bool stopping_ SSX_GUARDED_BY(mutex_) = false;

  std::vector<Thread> threads_;  ///< the owner's
};

template <class Work, class Then>
void TaskPool::run(EventLoop& home, Work work, Then then) {
  static_assert(std::invocable<Work&>, "nobody asks it to stop: only a coroutine can give up");
  static_assert(std::invocable<Then&, internal::ResultOf<Work>>, "then takes a Result of work()");
  submit([home = home.handle(), work = std::move(work),
          then = std::move(then)](const Error* refused) mutable {
    End end = End::kDone;
    auto result = [&]() -> internal::ResultOf<Work> {
      if (refused != nullptr) return fail(*refused);
      try {
        return internal::call_work(work, {});
      } catch (...) {
        end = End::kFailed;
        return fail(internal::task_failed(std::current_exception()));
      }
    }();
    const bool came_home =
        home.post([then = std::move(then), result = std::move(result)]() mutable {
          then(std::move(result));
        });
    return came_home || end == End::kFailed ? end : End::kLate;
  });
}

/// One piece of work that a coroutine awaits.
template <class Work>
class TaskPool::Job {
  /// Shared by the awaiter and by the work on its way out and home. Two owners on two threads, and
  /// either may be the last: the one place where a shared_ptr to something mutable is right.
  struct State {
    explicit State(Work&& given) : work(std::move(given)) {}
    Work work;  ///< the task thread's
    std::variant<std::monostate, internal::ResultOf<Work>, std::exception_ptr> outcome;
    internal::StopOf<Work> stop;
    Continuation* waiter = nullptr;  ///< loop-only; null once it has gone
  };

 public:
  class Awaiter;

  template <class Given>
  Job(TaskPool& pool, Given&& work) : pool_(pool), work_(std::forward<Given>(work)) {}

  Awaiter operator co_await() & { return Awaiter(*this); }
  Awaiter operator co_await() &&
        requires std::is_trivially_destructible_v<Work>
  {
    return Awaiter(*this);
  }
  /// GCC 12 destroys a capturing lambda twice that was written inside the co_await expression. So
  /// name the job first: `auto job = pool.run(...); auto result = co_await job;`.
  Awaiter operator co_await() &&
        requires(!std::is_trivially_destructible_v<Work>)
      = delete;

 private:
  TaskPool& pool_;
  Work work_;
};

template <class Work>
class TaskPool::Job<Work>::Awaiter final : private LoopContinuation {
 public:
  explicit Awaiter(Job& job) : job_(job) {}
  ~Awaiter() {
    if (state_ == nullptr || state_->waiter == nullptr) return;
    state_->waiter = nullptr;
    state_->stop.request_stop();
  }
  bool await_ready() const noexcept { return false; }
  void await_suspend(std::coroutine_handle<> handle) {
    EventLoop* const home = EventLoop::current();
    SSX_ASSERT(home != nullptr);
    set_handle(handle);
    state_ = std::make_shared<State>(std::move(job_.work_));
    state_->waiter = this;
    // Nothing here is touched after submit(): the answer may be on its way home already.
    job_.pool_.submit([home = home->handle(), state = state_](const Error* refused) {
      return finish(home, state, refused);
    });
  }
  internal::ResultOf<Work> await_resume() {
    auto& outcome = state_->outcome;
    if (outcome.index() == 2) std::rethrow_exception(std::get<2>(outcome));
    return std::get<1>(std::move(outcome));
  }

 private:
  static End finish(const LoopHandle& home, const std::shared_ptr<State>& state,
                    const Error* refused) {
    if (state->stop.stop_requested()) return End::kAbandoned;
    End end = End::kDone;
    if (refused != nullptr) {
      state->outcome.template emplace<1>(fail(*refused));
    } else {
      try {
        state->outcome.template emplace<1>(internal::call_work(state->work, state->stop));
      } catch (...) {
        end = End::kFailed;
        state->outcome.template emplace<2>(std::current_exception());
      }
    }
    const bool came_home = !state->stop.stop_requested() && home.post([state] {
      if (Continuation* const waiter = std::exchange(state->waiter, nullptr)) waiter->run();
    });
    return came_home || end == End::kFailed ? end : End::kLate;
  }

  Job& job_;
  std::shared_ptr<State> state_;
};

}  // namespace ssx::net
