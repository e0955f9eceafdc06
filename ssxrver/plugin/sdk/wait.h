// Awaits an operation of the host's.
//
// Thread: loop-only
// Owner:  the awaiting coroutine's frame
// Life:   destroying the frame takes the wait back: the host does not call any more
// Bounds: -
#pragma once

#include <coroutine>
#include <cstdint>
#include <utility>

#include "ssxrver/coro/continuation.h"
#include "ssxrver/plugin/sdk/tables.h"

namespace ssx::plugin::internal {

/// Derived awaiters start the operation with waiter() and slot(), and look at status() at the end.
class HostWait : private CoroutineContinuation {
 public:
  HostWait(const HostWait&) = delete;
  HostWait& operator=(const HostWait&) = delete;

 protected:
  HostWait() noexcept = default;
  ~HostWait() {
    if (wait_ != nullptr) tables.loops->cancel(wait_);
  }

  [[nodiscard]] ssxrver_waiter waiter() noexcept { return {&HostWait::done, this}; }
  [[nodiscard]] ssxrver_wait** slot() noexcept { return &wait_; }
  /// Of what the call that began it gave: true when it is under way.
  bool suspend(std::coroutine_handle<> handle, std::int32_t begun) noexcept {
    set_handle(handle);
    status_ = begun;
    return begun == SSXRVER_PENDING;
  }
  /// Takes the operation back and resumes the coroutine: something else has ended its wait.
  void resume_without() noexcept {
    if (wait_ != nullptr) tables.loops->cancel(std::exchange(wait_, nullptr));
    run();
  }
  [[nodiscard]] std::int32_t status() const noexcept { return status_; }
  /// What ended; it names the results.
  [[nodiscard]] ssxrver_wait* ended() const noexcept { return ended_; }

 private:
  static void done(void* context, std::int32_t status) {
    auto& self = *static_cast<HostWait*>(context);
    self.ended_ = std::exchange(self.wait_, nullptr);
    self.status_ = status;
    self.run();
  }

  ssxrver_wait* wait_ = nullptr;
  ssxrver_wait* ended_ = nullptr;
  std::int32_t status_ = SSXRVER_OK;
};

}  // namespace ssx::plugin::internal
