// spawn(): the only way to let a Task run without awaiting it.
//
// Thread: any thread; the Task starts at once when called on the loop itself, else when the loop
//         comes to it (also for a loop that does not run yet)
// Owner:  the loop: a Task that has not finished when its loop ends is destroyed then, which
//         cancels it (on_error is not called)
// Life:   from spawn() until the Task has finished or the loop has ended
// Bounds: none of its own: who spawns per connection is bounded by `worker_connections`
//
//   net::spawn(loop, echo(std::move(peer)), &net::log_failure);
#pragma once

#include <coroutine>
#include <exception>
#include <memory>

#include "ssxrver/base/unique_function.h"
#include "ssxrver/coro/continuation.h"
#include "ssxrver/coro/task.h"
#include "ssxrver/net/event_loop.h"

namespace ssx::net {

using OnError = UniqueFunction<void(std::exception_ptr)>;

/// `on_error` gets what the Task threw, after the Task has been destroyed, on the Task's loop. It
/// must be given: an exception that nobody sees is a defect.
void spawn(EventLoop& loop, Task<> task, OnError on_error);

/// An on_error that logs and goes on.
void log_failure(const std::exception_ptr& thrown);

namespace internal {

/// A Task that nobody awaits. It deletes itself.
class DetachedTask final : public TaskRoot, private Continuation, private LoopEnd {
 public:
  DetachedTask(Task<> task, OnError on_error) noexcept;

  static void start(std::unique_ptr<DetachedTask> self, EventLoop& loop);

  /// Leaves its loop once the current turn of it has let go of the Task's frames, and resumes
  /// `leaf` on the other loop. When that has ended, the Task is destroyed.
  void move_to(EventLoop& there, std::coroutine_handle<> leaf);

 private:
  void on_loop_end() override;
  void finish();
  static void arrive(std::unique_ptr<DetachedTask> self, EventLoop& loop,
                     std::coroutine_handle<> leaf);

  Task<> task_;
  OnError on_error_;
};

}  // namespace internal
}  // namespace ssx::net
