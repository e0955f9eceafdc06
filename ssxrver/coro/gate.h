// Gate: counts what is in flight, lets nothing in once closed, and tells when the last has left.
//
// Thread: one thread
// Owner:  the object whose end has to wait (a server, a worker, a session)
// Life:   destroyed only when empty (asserted): that is its purpose
// Bounds: the count; one waiter
//
//   if (auto pass = gate.enter()) { ... }      // the pass leaves when it goes out of scope
//   gate.close();
//   co_await gate.empty();
//
// The idea is Seastar's gate. The waiter is resumed inside the last pass's destructor: it must not
// destroy what called that from there (net's yield() gives it a turn of its own).
#pragma once

#include <coroutine>
#include <cstddef>
#include <utility>

#include "ssxrver/base/assert.h"
#include "ssxrver/coro/continuation.h"

namespace ssx {

class Gate {
 public:
  /// The right to be inside. False when the gate was closed already.
  class [[nodiscard]] Pass {
   public:
    Pass() noexcept = default;
    Pass(Pass&& other) noexcept : gate_(std::exchange(other.gate_, nullptr)) {}
    Pass& operator=(Pass&& other) noexcept {
      if (this != &other) {
        leave();
        gate_ = std::exchange(other.gate_, nullptr);
      }
      return *this;
    }
    ~Pass() { leave(); }

    [[nodiscard]] explicit operator bool() const noexcept { return gate_ != nullptr; }
    /// Leaves now.
    void leave() noexcept {
      if (gate_ != nullptr) std::exchange(gate_, nullptr)->leave();
    }

   private:
    friend class Gate;
    explicit Pass(Gate* gate) noexcept : gate_(gate) {}
    Gate* gate_ = nullptr;
  };

  class EmptyAwaiter;

  Gate() = default;
  Gate(const Gate&) = delete;
  Gate& operator=(const Gate&) = delete;
  ~Gate() {
    SSX_ASSERT(count_ == 0, count_);
    SSX_ASSERT(waiter_ == nullptr);
  }

  [[nodiscard]] Pass enter() noexcept {
    if (closed_) return Pass();
    ++count_;
    return Pass(this);
  }

  /// From now on enter() refuses. Twice is once.
  void close() noexcept { closed_ = true; }

  /// co_await gate.empty(): continues when nobody is inside. Requires close().
  [[nodiscard]] EmptyAwaiter empty() noexcept;

  /// The same for an owner that is no coroutine. True: empty now; false: `then` runs once.
  [[nodiscard]] bool wait_empty(Continuation& then) noexcept {
    SSX_ASSERT(closed_);
    SSX_ASSERT(waiter_ == nullptr);
    if (count_ == 0) return true;
    waiter_ = &then;
    return false;
  }
  /// Takes the waiter back, if it is still this one.
  void give_up(const Continuation& then) noexcept {
    if (waiter_ == &then) waiter_ = nullptr;
  }

  [[nodiscard]] bool closed() const noexcept { return closed_; }
  [[nodiscard]] std::size_t count() const noexcept { return count_; }

 private:
  void leave() noexcept {
    SSX_ASSERT(count_ > 0);
    --count_;
    if (count_ > 0 || waiter_ == nullptr) return;
    std::exchange(waiter_, nullptr)->run();
  }

  std::size_t count_ = 0;
  bool closed_ = false;
  Continuation* waiter_ = nullptr;
};

class Gate::EmptyAwaiter final : private CoroutineContinuation {
 public:
  explicit EmptyAwaiter(Gate& gate) noexcept : gate_(gate) {}
  ~EmptyAwaiter() {
    if (waiting_) gate_.give_up(*this);  // the awaiting coroutine was cancelled
  }
  bool await_ready() const noexcept { return false; }
  bool await_suspend(std::coroutine_handle<> handle) noexcept {
    set_handle(handle);
    waiting_ = !gate_.wait_empty(*this);
    return waiting_;
  }
  void await_resume() noexcept { waiting_ = false; }

 private:
  Gate& gate_;
  bool waiting_ = false;
};

inline Gate::EmptyAwaiter Gate::empty() noexcept { return EmptyAwaiter(*this); }

}  // namespace ssx
