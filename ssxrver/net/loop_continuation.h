// Resumes a coroutine of a loop, and names the work that it belongs to again: a stall is charged to
// the route whose handler it is, whatever has woken it up.
//
// Thread: that of the loop it waits on
// Owner:  an awaiter, inside a coroutine's frame
// Life:   from the start of the wait until run(), or until the waiter gives up
// Bounds: 24 bytes
#pragma once

#include <coroutine>

#include "ssxrver/coro/continuation.h"
#include "ssxrver/coro/run_end.h"
#include "ssxrver/net/event_loop.h"

namespace ssx::net {

/// The base of awaiters that wait on a loop.
class LoopContinuation : public Continuation {
 protected:
  LoopContinuation() noexcept : Continuation(&go_on) {}
  ~LoopContinuation() = default;

  void set_handle(std::coroutine_handle<> handle) noexcept {
    handle_ = handle;
    const EventLoop* const loop = EventLoop::current();  // null: started before the loop runs
    label_ = loop == nullptr ? nullptr : loop->label();
  }

 private:
  static void go_on(Continuation& self) noexcept {
    auto& waiter = static_cast<LoopContinuation&>(self);
    EventLoop* const loop = EventLoop::current();
    if (waiter.label_ == nullptr || loop == nullptr) {
      resume(waiter.handle_);
      return;
    }
    loop->callback_ended("callback");  // what ran before is not this one's
    loop->set_label(waiter.label_);
    resume(waiter.handle_);  // *this may be gone
    loop->callback_ended("callback");
  }
  static void resume(std::coroutine_handle<> handle) noexcept {
    const CoroutineRun run;
    handle.resume();
  }

  std::coroutine_handle<> handle_;
  const char* label_ = nullptr;
};

}  // namespace ssx::net
