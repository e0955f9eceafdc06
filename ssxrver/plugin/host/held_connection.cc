#include "ssxrver/plugin/host/held_connection.h"

#include <memory>

namespace ssx::plugins {

HeldConnection::HeldConnection(Instance& instance, LeaseKind kind)
    : instance_(instance),
      loop_(*net::EventLoop::current()),
      home_(loop_.handle()),
      lease_(instance.leases(), kind) {
  loop_.assert_in_loop_thread();
  if (!loop_.at_end(*this)) {
    is_ended_ = true;
    lease_.end();
  }
}

std::int32_t HeldConnection::judge(Instance& instance) const noexcept {
  if (net::EventLoop::current() != &loop_) return SSXRVER_WRONG_THREAD;
  if (&instance != &instance_) return SSXRVER_INVALID;
  if (is_busy_) {
    instance_.misuse("databases", "a second operation of a transaction or stream at a time");
    return SSXRVER_INVALID;
  }
  return is_ended_ ? SSXRVER_CLOSED : SSXRVER_OK;
}

void HeldConnection::end() noexcept {
  if (is_ended_) return;
  is_ended_ = true;
  leave_loop();
  close();
  lease_.end();
}

/// An operation that is under way is told by its own wait.
void HeldConnection::on_loop_end() {
  if (!is_busy_) end();
}

void HeldConnection::free() noexcept {
  if (net::EventLoop::current() == &loop_) return drop();
  struct Drop {
    void operator()(HeldConnection* held) const noexcept { held->drop(); }
  };
  // Where its loop has ended nobody hears it: it goes at once.
  (void)home_.post([owned = std::unique_ptr<HeldConnection, Drop>(this)] {});
}

void HeldConnection::drop() noexcept {
  is_freed_ = true;
  if (!is_busy_) delete this;
}

}  // namespace ssx::plugins
