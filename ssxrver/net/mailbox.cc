#include "ssxrver/net/mailbox.h"

#include <thread>
#include <utility>

#include "ssxrver/base/log.h"
#include "ssxrver/sys/event.h"

namespace ssx::net {

Mailbox::Mailbox(sys::UniqueFd eventfd) noexcept
    : Channel(eventfd.get()), eventfd_(std::move(eventfd)) {}

Mailbox::~Mailbox() { discard(); }

void Mailbox::discard() noexcept {
  // Only of a loop that never ran, or was turned by hand: run() leaves nothing behind.
  std::uint64_t left = 0;
  while (queue_.pop()) ++left;
  if (left > 0) SSX_LOG_DEBUG("{} posted functions dropped: the loop has ended", left);
}

bool Mailbox::post(Function function) {
  // Counted from the check to the push, so that finish() can wait for those between the two.
  if (gate_.fetch_add(kPosting, std::memory_order_acq_rel) & kClosed) {
    gate_.fetch_sub(kPosting, std::memory_order_relaxed);
    dropped_.fetch_add(1, std::memory_order_relaxed);
    return false;
  }
  queue_.push(std::move(function));
  wake();
  gate_.fetch_sub(kPosting, std::memory_order_release);
  return true;
}

void Mailbox::wake() noexcept {
  if (signalled_.exchange(true, std::memory_order_acq_rel)) return;
  if (const auto signalled = sys::eventfd_signal(eventfd_.get()); !signalled) {
    signalled_.store(false, std::memory_order_release);  // the next post tries again
    SSX_LOG_ERROR("{}", signalled.error().message());
  }
}

bool Mailbox::drain(std::size_t budget) {
  for (; budget > 0; --budget) {
    auto function = queue_.pop();
    if (!function) return false;
    (*function)();
  }
  return true;
}

void Mailbox::finish() {
  close();
  while (true) {
    // Read before the queue: when nobody stood in post() then, this drain sees everything.
    const bool is_last = gate_.load(std::memory_order_acquire) == kClosed;
    while (auto function = queue_.pop()) (*function)();
    if (is_last) return;
    std::this_thread::yield();
  }
}

void Mailbox::on_ready(Readiness) {
  // Cleared before the queue is read, so that a push after our last pop signals again; an exchange,
  // so that the pushes of those who found it set are seen.
  (void)sys::eventfd_take(eventfd_.get());
  signalled_.exchange(false, std::memory_order_acq_rel);
}

}  // namespace ssx::net
