// Coroutines that wait for something to change, and look again when it may have.
//
//   while (!is_there) co_await changed.wait();
//   ...
//   is_there = true;
//   changed.wake_all();
//
// Thread: loop-only
// Owner:  whoever changes it
// Life:   outlives those who wait
// Bounds: none of its own; a hook in the frame of each that waits
#pragma once

#include <coroutine>

#include "ssxrver/base/intrusive_list.h"
#include "ssxrver/net/loop_continuation.h"

namespace ssx::websocket {

class WaitList {
 public:
  /// Destroying it, with the frame that it is in, takes the wait back.
  class Waiter final : public ListHook<WaitList>, private net::LoopContinuation {
   public:
    explicit Waiter(WaitList& list) noexcept : list_(list) {}
    bool await_ready() const noexcept { return false; }
    void await_suspend(std::coroutine_handle<> handle) noexcept {
      set_handle(handle);
      list_.waiters_.push_back(*this);
    }
    void await_resume() const noexcept {}

   private:
    friend class WaitList;
    WaitList& list_;
  };

  [[nodiscard]] Waiter wait() noexcept { return Waiter(*this); }

  [[nodiscard]] bool is_waited_for() const noexcept { return !waiters_.empty(); }

  /// Resumes them in their order as long as `may_go()`.
  template <class Predicate>
  void wake_while(Predicate&& may_go) {
    while (!waiters_.empty() && may_go()) waiters_.pop_front()->run();
  }

  /// Resumes all that wait now, in their order; not those who come back. They may destroy whoever
  /// calls, but not the list before the last of them has run.
  void wake_all() {
    IntrusiveList<Waiter, WaitList> woken;
    woken.splice_back(waiters_);
    while (Waiter* const waiter = woken.pop_front()) waiter->run();
  }

 private:
  IntrusiveList<Waiter, WaitList> waiters_;
};

}  // namespace ssx::websocket
