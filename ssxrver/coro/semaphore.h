// Semaphore: so many at a time; who comes later waits, first come, first served.
//
// Thread: one thread
// Owner:  whoever bounds what goes on at once (a worker's state, a client, a coroutine's frame)
// Life:   longer than its permits and its waiters (asserted)
// Bounds: `permits`; `waiters_max`, which is for whoever takes work from outside: without it the
//         waiters are as many as coroutines were started. No allocation: a waiter's links are in
//         its frame
//
//   Semaphore queries(8);
//   const auto permit = co_await queries.acquire();   // given back when it goes out of scope
//
// Nobody overtakes a waiter, not even try_acquire(). A waiter is resumed inside the release that
// lets it in, which often is a destructor: it must not destroy the semaphore, nor what released,
// from there (net's yield() gives it a turn of its own). However many let each other in, the stack
// stays flat: what is released meanwhile is handed on by the release that began.
#pragma once

#include <coroutine>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "ssxrver/base/assert.h"
#include "ssxrver/base/intrusive_list.h"
#include "ssxrver/coro/continuation.h"

namespace ssx {

struct SemaphoreOptions {
  std::size_t permits = 1;             ///< held at the same time
  std::size_t waiters_max = SIZE_MAX;  ///< who comes when so many wait gets an empty Permit at once
};

class Semaphore {
 public:
  /// One of the places. False: there was none to be had.
  class [[nodiscard]] Permit {
   public:
    Permit() noexcept = default;
    Permit(Permit&& other) noexcept : semaphore_(std::exchange(other.semaphore_, nullptr)) {}
    Permit& operator=(Permit&& other) noexcept {
      if (this != &other) {
        release();
        semaphore_ = std::exchange(other.semaphore_, nullptr);
      }
      return *this;
    }
    ~Permit() { release(); }

    [[nodiscard]] explicit operator bool() const noexcept { return semaphore_ != nullptr; }
    /// Gives it back now. Twice is once.
    void release() noexcept {
      if (semaphore_ != nullptr) std::exchange(semaphore_, nullptr)->release();
    }

   private:
    friend class Semaphore;
    explicit Permit(Semaphore* semaphore) noexcept : semaphore_(semaphore) {}
    Semaphore* semaphore_ = nullptr;
  };

  class AcquireAwaiter final : private CoroutineContinuation, private ListHook<Semaphore> {
   public:
    explicit AcquireAwaiter(Semaphore& semaphore) noexcept : semaphore_(semaphore) {}
    ~AcquireAwaiter() {
      if (is_linked()) --semaphore_.waiting_;  // the awaiting coroutine was cancelled
    }
    bool await_ready() noexcept {
      granted_ = semaphore_.take();
      return granted_ || semaphore_.refuses();
    }
    void await_suspend(std::coroutine_handle<> handle) noexcept {
      set_handle(handle);
      semaphore_.waiters_.push_back(*this);
      ++semaphore_.waiting_;
    }
    Permit await_resume() noexcept {
      return std::exchange(granted_, false) ? Permit(&semaphore_) : Permit();
    }

   private:
    friend class Semaphore;
    friend class IntrusiveList<AcquireAwaiter, Semaphore>;
    void grant() noexcept {
      granted_ = true;
      run();
    }

    Semaphore& semaphore_;
    bool granted_ = false;
  };

  explicit Semaphore(std::size_t permits) noexcept
      : Semaphore(SemaphoreOptions{.permits = permits}) {}
  explicit Semaphore(const SemaphoreOptions& options) noexcept
      : options_(options), available_(options.permits) {
    SSX_ASSERT(options.permits > 0);
  }
  Semaphore(const Semaphore&) = delete;
  Semaphore& operator=(const Semaphore&) = delete;
  ~Semaphore() {
    SSX_ASSERT(waiting_ == 0, waiting_);
    SSX_ASSERT(available_ == options_.permits, available_, options_.permits);
    SSX_ASSERT(!handing_on_);
  }

  /// co_await semaphore.acquire(): a Permit, at once or when it is this one's turn; an empty one,
  /// at once, when `waiters_max` wait already.
  [[nodiscard]] AcquireAwaiter acquire() noexcept { return AcquireAwaiter(*this); }
  /// An empty one when it would have to wait.
  Permit try_acquire() noexcept { return take() ? Permit(this) : Permit(); }

  [[nodiscard]] std::size_t available() const noexcept { return available_; }
  [[nodiscard]] std::size_t waiters() const noexcept { return waiting_; }
  /// How often `waiters_max` was reached.
  [[nodiscard]] std::uint64_t refused() const noexcept { return refused_; }

 private:
  bool take() noexcept {
    if (available_ == 0 || waiting_ > 0) return false;
    --available_;
    return true;
  }
  bool refuses() noexcept {
    if (waiting_ < options_.waiters_max) return false;
    ++refused_;
    return true;
  }
  void release() noexcept {
    SSX_ASSERT(available_ < options_.permits, available_, options_.permits);
    ++available_;
    if (handing_on_) return;  // the release further down the stack goes on with this one
    handing_on_ = true;
    while (available_ > 0 && waiting_ > 0) {
      --available_;
      --waiting_;
      waiters_.pop_front()->grant();
    }
    handing_on_ = false;
  }

  const SemaphoreOptions options_;
  std::size_t available_;
  std::size_t waiting_ = 0;  ///< the length of waiters_
  std::uint64_t refused_ = 0;
  bool handing_on_ = false;
  IntrusiveList<AcquireAwaiter, Semaphore> waiters_;
};

}  // namespace ssx
