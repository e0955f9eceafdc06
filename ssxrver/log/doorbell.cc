#include "ssxrver/log/doorbell.h"

#include <array>
#include <utility>

#include "ssxrver/sys/event.h"

namespace ssx::log {

Doorbell::Doorbell(sys::UniqueFd event, sys::UniqueFd epoll) noexcept
    : event_(std::move(event)), epoll_(std::move(epoll)) {}

Result<Doorbell> Doorbell::create() {
  SSX_TRY(auto event, sys::eventfd_create());
  SSX_TRY(auto epoll, sys::epoll_create());
  SSX_TRY_VOID(sys::epoll_add(epoll.get(), event.get(), EPOLLIN, nullptr));
  return Doorbell(std::move(event), std::move(epoll));
}

void Doorbell::ring() const noexcept {
  // The one thing that can go wrong is a full counter, and then the sleeper wakes up anyway.
  static_cast<void>(sys::eventfd_signal(event_.get()));
}

bool Doorbell::wait(std::chrono::milliseconds time) const noexcept {
  std::array<epoll_event, 1> events{};
  const auto ready = sys::epoll_wait(epoll_.get(), events, static_cast<int>(time.count()));
  if (!ready || *ready == 0) return false;
  static_cast<void>(sys::eventfd_take(event_.get()));
  return true;
}

}  // namespace ssx::log
