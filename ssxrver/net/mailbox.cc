#include "ssxrver/net/mailbox.h"

#include <utility>

#include "ssxrver/base/log.h"
#include "ssxrver/sys/event.h"

namespace ssx::net {

Mailbox::Mailbox(sys::UniqueFd eventfd) noexcept
    : Channel(eventfd.get()), eventfd_(std::move(eventfd)) {}

Mailbox::~Mailbox() { discard(); }

void Mailbox::discard() noexcept {
  // A producer that passed the check just before close() may have left something behind.
  std::uint64_t late = 0;
  while (queue_.pop()) ++late;
  if (late > 0) SSX_LOG_DEBUG("{} posted functions dropped: the loop has ended", late);
}

bool Mailbox::post(Function function) {
  if (closed_.load(std::memory_order_acquire)) {
    dropped_.fetch_add(1, std::memory_order_relaxed);
    return false;
  }
  queue_.push(std::move(function));
  wake();
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

void Mailbox::on_ready(Readiness) {
  // Cleared before the queue is read, so that a push after our last pop signals again; an exchange,
  // so that the pushes of those who found it set are seen.
  (void)sys::eventfd_take(eventfd_.get());
  signalled_.exchange(false, std::memory_order_acq_rel);
}

}  // namespace ssx::net
