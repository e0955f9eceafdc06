// Poller over epoll. (i)
//
// Thread: loop-only
// Owner:  EventLoop
// Life:   that of the loop
// Bounds: max_events per wait()
#pragma once

#include <memory>
#include <vector>

#include "ssxrver/net/poller.h"
#include "ssxrver/sys/event.h"

namespace ssx::net {

class EpollPoller final : public Poller {
 public:
  static Result<std::unique_ptr<Poller>> create(std::size_t max_events);

  Result<void> add(Channel& channel, Readiness interest) override;
  Result<void> modify(Channel& channel, Readiness interest) override;
  void remove(Channel& channel) override;
  std::span<Event> wait(bool may_block) override;

 private:
  EpollPoller(sys::UniqueFd epoll, std::size_t max_events);

  sys::UniqueFd epoll_;
  std::vector<epoll_event> raw_;
  std::vector<Event> events_;
};

}  // namespace ssx::net
