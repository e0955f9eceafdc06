// An operation of the host that a plugin waits for: a coroutine of ours, and whom to tell.
//
// Thread: one loop, that of the call that began it
// Owner:  itself: it goes when the plugin has been told, or has taken it back, or its loop ends
// Life:   from begin() to its end, or to cancel()
// Bounds: one lease of the instance (kWaits; of a database, kQueries)
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "ssxrver/coro/continuation.h"
#include "ssxrver/coro/frame_pool.h"
#include "ssxrver/coro/task.h"
#include "ssxrver/net/event_loop.h"
#include "ssxrver/plugin/abi.h"
#include "ssxrver/plugin/host/instance.h"
#include "ssxrver/plugin/host/leases.h"

namespace ssx::plugins {
class DbOutcome;
}

struct ssxrver_wait final : private ssx::Continuation,
                            private ssx::net::LoopEnd,
                            private ssx::net::TurnEnd {
 public:
  using Work = ssx::Task<std::int32_t>;

  /// PENDING and `*out`, or what `work` gave at once. `instance` null: nobody's lease. `place`: a
  /// pointer of the host's that names it for as long as the plugin waits.
  static std::int32_t begin(Work work, ssx::plugins::Instance* instance, ssxrver_waiter waiter,
                            ssxrver_wait** out, ssxrver_wait** place = nullptr);
  /// The plugin is told later in any case: `work` leaves in `outcome` what there is to say. PENDING
  /// and `*out`, or CLOSED.
  static std::int32_t begin_later(Work work, std::unique_ptr<ssx::plugins::DbOutcome> outcome,
                                  ssx::plugins::Instance& instance, ssxrver_waiter waiter,
                                  ssxrver_wait** out);

  /// That of begin_later(), while the plugin is told; else null.
  [[nodiscard]] ssx::plugins::DbOutcome* outcome() const noexcept;

  /// The plugin does not wait any more. Nothing happens when it is being told. `work` waits for
  /// something, and resumes nobody on its way: so it is not on the stack.
  void cancel() noexcept;

  static void* operator new(std::size_t bytes) { return ssx::FramePool::allocate(bytes); }
  static void operator delete(void* at, std::size_t bytes) noexcept {
    ssx::FramePool::deallocate(at, bytes);
  }

 private:
  ssxrver_wait(Work work, ssx::plugins::Instance* instance, ssx::plugins::LeaseKind kind,
               ssxrver_waiter waiter) noexcept;
  ~ssxrver_wait();

  static void finished(Continuation& self) noexcept;
  void on_loop_end() override;
  void on_turn_end() override;
  void leave_place() noexcept;
  void tell(std::int32_t status) noexcept;

  ssx::plugins::Instance* const instance_;
  ssx::plugins::Lease lease_;
  std::unique_ptr<ssx::plugins::DbOutcome> outcome_;
  Work work_;  ///< may hold the outcome
  ssxrver_waiter waiter_;
  ssxrver_wait** place_ = nullptr;
  bool told_ = false;
};
