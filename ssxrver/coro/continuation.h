// What runs when something that was waited for has come: one function pointer, no allocation.
//
// Thread: that of whoever waits
// Owner:  whoever waits (an awaiter inside a coroutine's frame, or a member of a plain object)
// Life:   from the start of the wait until run(), or until the waiter gives up
// Bounds: 8 bytes; a CoroutineContinuation 16
#pragma once

#include <coroutine>

#include "ssxrver/coro/run_end.h"

namespace ssx {

/// Derive from it and hand the address to what you wait for.
class Continuation {
 public:
  using Function = void (*)(Continuation& self) noexcept;

  Continuation(const Continuation&) = delete;
  Continuation& operator=(const Continuation&) = delete;

  /// May destroy *this, and the object that calls it: the last thing its caller does.
  void run() noexcept { function_(*this); }

 protected:
  explicit Continuation(Function function) noexcept : function_(function) {}
  ~Continuation() = default;

 private:
  Function function_;
};

/// Resumes a coroutine: the base of our awaiters, and of a program's own.
class CoroutineContinuation : public Continuation {
 protected:
  CoroutineContinuation() noexcept : Continuation(&resume) {}
  ~CoroutineContinuation() = default;

  void set_handle(std::coroutine_handle<> handle) noexcept { handle_ = handle; }

 private:
  static void resume(Continuation& self) noexcept {
    const CoroutineRun run;
    static_cast<CoroutineContinuation&>(self).handle_.resume();
  }
  std::coroutine_handle<> handle_;
};

}  // namespace ssx
