// Runs a coroutine of a test to its first wait, and owns it from then on.
#pragma once

#include <utility>

#include "ssxrver/coro/task.h"

namespace ssx::plugin {

class Running final : private Continuation {
 public:
  explicit Running(Task<> task)
      : Continuation([](Continuation&) noexcept {}), task_(std::move(task)) {
    if (task_.start(*this)) task_.result();
  }
  [[nodiscard]] bool is_done() const { return task_.done(); }
  void cancel() { task_.reset(); }

 private:
  Task<> task_;
};

}  // namespace ssx::plugin
