#include "ssxrver/net/spawn.h"

#include <utility>

#include "ssxrver/base/assert.h"
#include "ssxrver/base/log.h"

namespace ssx::net {

void spawn(EventLoop& loop, Task<> task, OnError on_error) {
  SSX_ASSERT(static_cast<bool>(on_error));
  auto detached = std::make_unique<internal::DetachedTask>(std::move(task), std::move(on_error));
  if (EventLoop::current() == &loop) {
    internal::DetachedTask::start(std::move(detached), loop);
    return;
  }
  loop.post([&loop, detached = std::move(detached)]() mutable {
    internal::DetachedTask::start(std::move(detached), loop);
  });
}

void log_failure(const std::exception_ptr& thrown) {
  try {
    std::rethrow_exception(thrown);
  } catch (const std::exception& error) {
    SSX_LOG_ERROR("a detached task threw: {}", error.what());
  } catch (...) {
    SSX_LOG_ERROR("a detached task threw something that is no std::exception");
  }
}

namespace internal {

DetachedTask::DetachedTask(Task<> task, OnError on_error) noexcept
    : Continuation([](Continuation& self) noexcept { static_cast<DetachedTask&>(self).finish(); }),
      task_(std::move(task)),
      on_error_(std::move(on_error)) {}

void DetachedTask::start(std::unique_ptr<DetachedTask> self, EventLoop& loop) {
  if (!loop.at_end(*self)) return;  // too late: the Task is destroyed before it began
  DetachedTask* const detached = self.release();
  if (detached->task_.start(*detached, detached)) detached->finish();
}

void DetachedTask::on_loop_end() { delete this; }

void DetachedTask::finish() {
  std::exception_ptr thrown;
  try {
    task_.result();
  } catch (...) {
    thrown = std::current_exception();
  }
  OnError on_error = std::move(on_error_);
  delete this;
  if (thrown != nullptr) on_error(thrown);
}

// The post to the own loop is what makes it safe: the code that called the leaf still stands on
// this thread's stack, and on its way back reads the frames that the other thread would be running.
void DetachedTask::move_to(EventLoop& there, std::coroutine_handle<> leaf) {
  EventLoop* const here = EventLoop::current();
  SSX_ASSERT(here != nullptr);
  here->post([this, &there, leaf] {
    leave_loop();
    there.post([self = std::unique_ptr<DetachedTask>(this), &there, leaf]() mutable {
      arrive(std::move(self), there, leaf);
    });
  });
}

void DetachedTask::arrive(std::unique_ptr<DetachedTask> self, EventLoop& loop,
                          std::coroutine_handle<> leaf) {
  if (!loop.at_end(*self)) return;
  static_cast<void>(self.release());  // the loop's now
  leaf.resume();
}

}  // namespace internal
}  // namespace ssx::net
