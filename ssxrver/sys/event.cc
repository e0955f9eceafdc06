#include "ssxrver/sys/event.h"

#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include <algorithm>

#include "ssxrver/sys/internal.h"
#include "ssxrver/sys/raw_call.h"

namespace ssx::SSX_SYS_NAMESPACE {

using sys::internal::done;
using sys::internal::own;
using sys::internal::retry;

namespace {

Result<void> control(int epoll, int operation, int fd, std::uint32_t events, void* user,
                     const char* where) {
  epoll_event event{};
  event.events = events;
  event.data.ptr = user;
  return done(::epoll_ctl(epoll, operation, fd, &event), where);
}

/// eventfd and timerfd hand over a count and set it to 0; EAGAIN is their way to say 0.
Result<std::uint64_t> take_count(int fd, const char* where) {
  std::uint64_t count = 0;
  const ssize_t size = retry([&] { return ::read(fd, &count, sizeof count); });
  if (size == static_cast<ssize_t>(sizeof count)) [[likely]]
    return count;
  if (errno == EAGAIN) return std::uint64_t{0};
  return fail_errno(errno, where);
}

timespec to_timespec(TimePoint when) {
  // All zeros would disarm, and a negative time is EINVAL: both mean "at once" here.
  const Duration since = std::max(when.time_since_epoch(), Duration(1));
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(since);
  timespec spec{};
  spec.tv_sec = seconds.count();
  spec.tv_nsec = (since - seconds).count();
  return spec;
}

}  // namespace

Result<UniqueFd> epoll_create() { return own(::epoll_create1(EPOLL_CLOEXEC), "epoll_create"); }

Result<void> epoll_add(int epoll, int fd, std::uint32_t events, void* user) {
  return control(epoll, EPOLL_CTL_ADD, fd, events, user, "epoll_add");
}

Result<void> epoll_modify(int epoll, int fd, std::uint32_t events, void* user) {
  return control(epoll, EPOLL_CTL_MOD, fd, events, user, "epoll_modify");
}

Result<void> epoll_remove(int epoll, int fd) {
  return control(epoll, EPOLL_CTL_DEL, fd, 0, nullptr, "epoll_remove");
}

Result<std::size_t> epoll_wait(int epoll, std::span<epoll_event> events, int timeout_ms) {
  const long count =
      sys::internal::raw_call(SYS_epoll_pwait, {.first = epoll,
                                                .second = sys::internal::raw(events.data()),
                                                .third = static_cast<long>(events.size()),
                                                .fourth = timeout_ms});
  if (count >= 0) [[likely]]
    return static_cast<std::size_t>(count);
  // Not repeated: the time that has passed is the loop's to subtract.
  if (count == -EINTR) return std::size_t{0};
  return fail_errno(static_cast<int>(-count), "epoll_wait");
}

Result<UniqueFd> eventfd_create() {
  return own(::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC), "eventfd_create");
}

Result<void> eventfd_signal(int fd) {
  const std::uint64_t one = 1;
  const ssize_t size = retry([&] { return ::write(fd, &one, sizeof one); });
  if (size < 0 && errno != EAGAIN) [[unlikely]]
    return fail_errno(errno, "eventfd_signal");
  return {};
}

Result<std::uint64_t> eventfd_take(int fd) { return take_count(fd, "eventfd_take"); }

Result<UniqueFd> timerfd_create() {
  return own(::timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC), "timerfd_create");
}

Result<void> timerfd_arm(int fd, TimePoint when) {
  itimerspec spec{};
  spec.it_value = to_timespec(when);
  return done(::timerfd_settime(fd, TFD_TIMER_ABSTIME, &spec, nullptr), "timerfd_arm");
}

Result<void> timerfd_disarm(int fd) {
  const itimerspec spec{};
  return done(::timerfd_settime(fd, 0, &spec, nullptr), "timerfd_disarm");
}

Result<std::uint64_t> timerfd_take(int fd) { return take_count(fd, "timerfd_take"); }

Result<UniqueFd> signalfd_create(const sigset_t& signals) {
  return own(::signalfd(-1, &signals, SFD_NONBLOCK | SFD_CLOEXEC), "signalfd_create");
}

Result<TakenSignal> signalfd_take(int fd) {
  signalfd_siginfo info{};
  const ssize_t size = retry([&] { return ::read(fd, &info, sizeof info); });
  if (size == static_cast<ssize_t>(sizeof info))
    return TakenSignal{static_cast<int>(info.ssi_signo), info.ssi_int};
  if (errno == EAGAIN) return TakenSignal{};
  return fail_errno(errno, "signalfd_take");
}

}  // namespace ssx::SSX_SYS_NAMESPACE
