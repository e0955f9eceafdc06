// Something that the plugin has begun and will tell of, for the coroutine that waits for it. (i)
//
// Thread: one loop
// Owner:  the frame of that coroutine
// Life:   from the call that begins it until it has ended; destroying it before cancels it, once
// Bounds: one end
//
// Who waits goes on later in the turn: when the plugin tells, its own frames are on the stack, and
// what it still looks at there lives as long.
#pragma once

#include <coroutine>
#include <string_view>

#include "ssxrver/net/event_loop.h"
#include "ssxrver/net/loop_continuation.h"
#include "ssxrver/plugin/abi.h"
#include "ssxrver/plugin/host/instance.h"

namespace ssx::plugins {

class Pending final : private net::TurnEnd, private net::LoopContinuation {
 public:
  /// `where` outlives it.
  Pending(Instance& instance, std::string_view where) noexcept
      : instance_(instance), where_(where), loop_(*net::EventLoop::current()) {}
  ~Pending() { cancel(); }
  Pending(const Pending&) = delete;
  Pending& operator=(const Pending&) = delete;

  /// Where the plugin says how to cancel it.
  [[nodiscard]] ssxrver_operation* started() noexcept { return &started_; }
  [[nodiscard]] bool is_on_loop() const noexcept { return net::EventLoop::current() == &loop_; }
  /// Nobody has told of its end, and somebody waits for it.
  [[nodiscard]] bool is_waited_for() const noexcept { return waits_ && !ended_; }

  /// The plugin has told of its end. Twice is once.
  void end() noexcept {
    if (ended_) return;
    ended_ = true;
    if (waits_) loop_.after_ready(*this);
  }
  /// The plugin is not heard any more; it is told so if it was still at work.
  void cancel() noexcept {
    if (!is_waited_for()) return;
    ended_ = true;
    instance_.counters().add(&Counters::cancelled);
    if (started_.cancel != nullptr)
      instance_.call_void(where_, [this] { started_.cancel(started_.state); });
  }

  [[nodiscard]] bool await_ready() const noexcept { return ended_; }
  void await_suspend(std::coroutine_handle<> handle) noexcept {
    set_handle(handle);
    waits_ = true;
  }
  void await_resume() noexcept { waits_ = false; }

 private:
  void on_turn_end() override { run(); }

  Instance& instance_;
  const std::string_view where_;
  net::EventLoop& loop_;
  ssxrver_operation started_{};
  bool waits_ = false;
  bool ended_ = false;
};

}  // namespace ssx::plugins
