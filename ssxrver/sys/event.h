// System calls of the loop: epoll, eventfd, timerfd, signalfd.
//
// Thread: any thread
// Owner:  descriptors are UniqueFd; a plain int is borrowed
// Life:   each call stands alone
// Bounds: all descriptors are non-blocking and close-on-exec
#pragma once

#include <sys/epoll.h>

#include <csignal>
#include <cstdint>
#include <span>

#include "ssxrver/base/clock.h"
#include "ssxrver/base/result.h"
#include "ssxrver/sys/unique_fd.h"

namespace ssx::sys {

Result<UniqueFd> epoll_create();
Result<void> epoll_add(int epoll, int fd, std::uint32_t events, void* user);
Result<void> epoll_modify(int epoll, int fd, std::uint32_t events, void* user);
Result<void> epoll_remove(int epoll, int fd);
/// Waits at most `timeout_ms` (-1: for ever). EINTR gives 0 events.
Result<std::size_t> epoll_wait(int epoll, std::span<epoll_event> events, int timeout_ms);

Result<UniqueFd> eventfd_create();
/// Adds one; a counter that is full already wakes, so EAGAIN is success.
Result<void> eventfd_signal(int fd);
/// Takes the count; 0 when there was none.
Result<std::uint64_t> eventfd_take(int fd);

/// CLOCK_MONOTONIC.
Result<UniqueFd> timerfd_create();
/// Arms for an absolute time; a past time fires at once.
Result<void> timerfd_arm(int fd, TimePoint when);
Result<void> timerfd_disarm(int fd);
Result<std::uint64_t> timerfd_take(int fd);

Result<UniqueFd> signalfd_create(const sigset_t& signals);
struct TakenSignal {
  int number = 0;  ///< 0: none waits
  int value = 0;   ///< of queue_signal()
};
Result<TakenSignal> signalfd_take(int fd);

}  // namespace ssx::sys
