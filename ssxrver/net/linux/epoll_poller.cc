#include "ssxrver/net/linux/epoll_poller.h"

#include <utility>

#include "ssxrver/base/assert.h"
#include "ssxrver/base/log.h"

namespace ssx::net {
namespace {

constexpr std::uint32_t kBeyondEvents = EPOLLRDHUP | EPOLLPRI;

// A half-close is seen as end of file by the next read; EPOLLRDHUP only where it is told once, so
// that a peer which has closed its side while we still answer does not wake the loop in every turn.
std::uint32_t to_epoll(Readiness interest) noexcept {
  std::uint32_t events = 0;
  if (interest & kEdge) events |= EPOLLET | kBeyondEvents;
  if (interest & kReadable) events |= EPOLLIN;
  if (interest & kWritable) events |= EPOLLOUT;
  if (interest & kExclusive) events |= EPOLLEXCLUSIVE;
  return events;
}

Readiness from_epoll(std::uint32_t events) noexcept {
  unsigned ready = kNothing;
  if (events & EPOLLIN) ready |= kReadable;
  if (events & EPOLLOUT) ready |= kWritable;
  if (events & (EPOLLERR | EPOLLHUP)) ready |= kHangup;
  if (events & EPOLLERR) ready |= kError;
  if (events & kBeyondEvents) ready |= kBeyond;
  return static_cast<Readiness>(ready);
}

}  // namespace

Result<std::unique_ptr<Poller>> EpollPoller::create(std::size_t max_events) {
  SSX_ASSERT(max_events > 0);
  SSX_TRY(sys::UniqueFd epoll, sys::epoll_create());
  return std::unique_ptr<Poller>(new EpollPoller(std::move(epoll), max_events));
}

EpollPoller::EpollPoller(sys::UniqueFd epoll, std::size_t max_events)
    : epoll_(std::move(epoll)), raw_(max_events) {
  events_.reserve(max_events);
}

Result<void> EpollPoller::add(Channel& channel, Readiness interest) {
  return sys::epoll_add(epoll_.get(), channel.fd(), to_epoll(interest), &channel);
}

Result<void> EpollPoller::modify(Channel& channel, Readiness interest) {
  return sys::epoll_modify(epoll_.get(), channel.fd(), to_epoll(interest), &channel);
}

void EpollPoller::remove(Channel& channel) {
  if (const auto removed = sys::epoll_remove(epoll_.get(), channel.fd()); !removed) {
    SSX_LOG_ERROR("{}", removed.error().message());
  }
}

std::span<Poller::Event> EpollPoller::wait(bool may_block) {
  events_.clear();
  const auto count = sys::epoll_wait(epoll_.get(), raw_, may_block ? -1 : 0);
  if (!count) {  // EBADF and EINVAL would be bugs of ours
    SSX_LOG_ERROR("{}", count.error().message());
    return {};
  }
  for (std::size_t i = 0; i < *count; ++i) {
    events_.push_back({static_cast<Channel*>(raw_[i].data.ptr), from_epoll(raw_[i].events)});
  }
  return events_;
}

}  // namespace ssx::net
