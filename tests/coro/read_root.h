// Who detached the Task that awaits: a root, and an awaiter that reads which one there is.
#pragma once

#include <coroutine>

#include "ssxrver/coro/task.h"

namespace ssx {

class Root final : public TaskRoot {};

/// Reads the root pointer of the Task that awaits it.
class ReadRoot {
 public:
  explicit ReadRoot(TaskRoot*& to) noexcept : to_(to) {}
  bool await_ready() const noexcept { return false; }
  template <class Promise>
  bool await_suspend(std::coroutine_handle<Promise> handle) noexcept {
    to_ = handle.promise().root();
    return false;
  }
  void await_resume() const noexcept {}

 private:
  TaskRoot*& to_;
};

}  // namespace ssx
