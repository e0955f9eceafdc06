#include "ssxrver/sys/event.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/time.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <limits>
#include <string>

#include "ssxrver/base/clock.h"
#include "ssxrver/sys/process.h"
#include "tests/sys/fails_with.h"

namespace ssx::sys {
namespace {

/// epoll_event is packed: nothing may refer to its fields.
void* user_of(const epoll_event& event) { return event.data.ptr; }

using std::chrono::seconds;

bool has_flags(int fd) {
  return (::fcntl(fd, F_GETFL) & O_NONBLOCK) != 0 && ::fcntl(fd, F_GETFD) == FD_CLOEXEC;
}

TEST(Epoll, ReportsTheUserOfAReadyDescriptor) {
  auto epoll = epoll_create().value();
  EXPECT_EQ(::fcntl(epoll.get(), F_GETFD), FD_CLOEXEC);
  auto event = eventfd_create().value();
  int user = 0;
  ASSERT_TRUE(epoll_add(epoll.get(), event.get(), EPOLLIN, &user));
  std::array<epoll_event, 4> events;
  EXPECT_EQ(epoll_wait(epoll.get(), events, 0).value(), 0U);
  ASSERT_TRUE(eventfd_signal(event.get()));
  ASSERT_EQ(epoll_wait(epoll.get(), events, -1).value(), 1U);
  EXPECT_EQ(user_of(events[0]), &user);
  EXPECT_EQ(events[0].events, EPOLLIN);
}

TEST(Epoll, ModifyChangesInterestAndUserAndRemoveEndsBoth) {
  auto epoll = epoll_create().value();
  auto event = eventfd_create().value();
  int user = 0;
  ASSERT_TRUE(epoll_add(epoll.get(), event.get(), EPOLLIN, nullptr));
  EXPECT_TRUE(
      fails_with(epoll_add(epoll.get(), event.get(), EPOLLIN, nullptr), EEXIST, "epoll_add"));
  ASSERT_TRUE(epoll_modify(epoll.get(), event.get(), EPOLLOUT, &user));
  std::array<epoll_event, 4> events;
  ASSERT_EQ(epoll_wait(epoll.get(), events, 0).value(), 1U);
  EXPECT_EQ(user_of(events[0]), &user);
  ASSERT_TRUE(epoll_remove(epoll.get(), event.get()));
  EXPECT_EQ(epoll_wait(epoll.get(), events, 0).value(), 0U);
  EXPECT_TRUE(fails_with(epoll_remove(epoll.get(), event.get()), ENOENT, "epoll_remove"));
  EXPECT_TRUE(
      fails_with(epoll_modify(epoll.get(), event.get(), 0, nullptr), ENOENT, "epoll_modify"));
}

TEST(Epoll, HandsOutNoMoreThanThereIsRoomFor) {
  auto epoll = epoll_create().value();
  std::array<UniqueFd, 3> fds;
  for (auto& fd : fds) {
    fd = eventfd_create().value();
    ASSERT_TRUE(epoll_add(epoll.get(), fd.get(), EPOLLOUT, nullptr));
  }
  std::array<epoll_event, 2> events;
  EXPECT_EQ(epoll_wait(epoll.get(), events, 0).value(), 2U);
}

TEST(Epoll, RefusesRegularFilesAndWaitsWithoutRoom) {
  auto epoll = epoll_create().value();
  std::array<epoll_event, 1> events;
  EXPECT_TRUE(fails_with(epoll_wait(epoll.get(), {}, 0), EINVAL, "epoll_wait"));
  EXPECT_TRUE(fails_with(epoll_wait(kNotOpen, events, 0), EBADF, "epoll_wait"));
  const UniqueFd file(::open("/proc/self/exe", O_RDONLY | O_CLOEXEC));
  EXPECT_TRUE(fails_with(epoll_add(epoll.get(), file.get(), EPOLLIN, nullptr), EPERM, "epoll_add"));
}

TEST(Epoll, ASignalEndsAWaitWithoutEvents) {
  struct sigaction quiet {};
  quiet.sa_handler = [](int) {};  // without SA_RESTART
  const auto before = set_signal_action(SIGALRM, quiet).value();
  // Again and again, for one might come before the wait has begun.
  const itimerval often{.it_interval = {0, 1000}, .it_value = {0, 1000}};
  ASSERT_EQ(::setitimer(ITIMER_REAL, &often, nullptr), 0);
  auto epoll = epoll_create().value();
  std::array<epoll_event, 1> events;
  EXPECT_EQ(epoll_wait(epoll.get(), events, -1).value(), 0U);
  const itimerval off{};
  ::setitimer(ITIMER_REAL, &off, nullptr);
  ASSERT_TRUE(set_signal_action(SIGALRM, before));
}

TEST(Eventfd, AddsUpAndIsTakenAtOnce) {
  auto fd = eventfd_create().value();
  EXPECT_TRUE(has_flags(fd.get()));
  EXPECT_EQ(eventfd_take(fd.get()).value(), 0U);
  ASSERT_TRUE(eventfd_signal(fd.get()));
  ASSERT_TRUE(eventfd_signal(fd.get()));
  EXPECT_EQ(eventfd_take(fd.get()).value(), 2U);
  EXPECT_EQ(eventfd_take(fd.get()).value(), 0U);
}

TEST(Eventfd, AFullCounterWakesAlready) {
  auto fd = eventfd_create().value();
  const std::uint64_t full = std::numeric_limits<std::uint64_t>::max() - 1;
  ASSERT_EQ(::write(fd.get(), &full, sizeof full), static_cast<ssize_t>(sizeof full));
  EXPECT_TRUE(eventfd_signal(fd.get()));
  EXPECT_EQ(eventfd_take(fd.get()).value(), full);
}

TEST(Timerfd, FiresAtItsTime) {
  auto fd = timerfd_create().value();
  EXPECT_TRUE(has_flags(fd.get()));
  auto epoll = epoll_create().value();
  ASSERT_TRUE(epoll_add(epoll.get(), fd.get(), EPOLLIN, nullptr));
  const TimePoint when = SystemClock::instance().now() + std::chrono::milliseconds(2);
  ASSERT_TRUE(timerfd_arm(fd.get(), when));
  std::array<epoll_event, 1> events;
  ASSERT_EQ(epoll_wait(epoll.get(), events, 10'000).value(), 1U);
  EXPECT_GE(SystemClock::instance().now(), when);
  EXPECT_EQ(timerfd_take(fd.get()).value(), 1U);
  EXPECT_EQ(timerfd_take(fd.get()).value(), 0U);
}

TEST(Timerfd, APastTimeFiresAtOnceEvenBeforeTheEpoch) {
  for (const TimePoint when : {TimePoint(Duration(1)), TimePoint(), TimePoint(-seconds(5)),
                               TimePoint::min(), SystemClock::instance().now() - seconds(1)}) {
    auto fd = timerfd_create().value();
    auto epoll = epoll_create().value();
    ASSERT_TRUE(epoll_add(epoll.get(), fd.get(), EPOLLIN, nullptr));
    ASSERT_TRUE(timerfd_arm(fd.get(), when));
    std::array<epoll_event, 1> events;
    EXPECT_EQ(epoll_wait(epoll.get(), events, 10'000).value(), 1U);
  }
}

TEST(Timerfd, TheFarthestTimeIsATimeToo) {
  auto fd = timerfd_create().value();
  EXPECT_TRUE(timerfd_arm(fd.get(), TimePoint::max()));
  EXPECT_EQ(timerfd_take(fd.get()).value(), 0U);
}

TEST(Timerfd, DisarmingTakesBackAnExpiryToo) {
  auto fd = timerfd_create().value();
  auto epoll = epoll_create().value();
  ASSERT_TRUE(epoll_add(epoll.get(), fd.get(), EPOLLIN, nullptr));
  ASSERT_TRUE(timerfd_arm(fd.get(), TimePoint()));
  std::array<epoll_event, 1> events;
  ASSERT_EQ(epoll_wait(epoll.get(), events, 10'000).value(), 1U);
  ASSERT_TRUE(timerfd_disarm(fd.get()));
  EXPECT_EQ(epoll_wait(epoll.get(), events, 0).value(), 0U);
  EXPECT_EQ(timerfd_take(fd.get()).value(), 0U);
}

TEST(Signalfd, HandsOverBlockedSignalsOneByOne) {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGUSR1);
  sigaddset(&signals, SIGUSR2);
  ASSERT_TRUE(block_signals(signals));
  auto fd = signalfd_create(signals).value();
  EXPECT_TRUE(has_flags(fd.get()));
  EXPECT_EQ(signalfd_take(fd.get()).value().number, 0);
  ::raise(SIGUSR1);
  ::raise(SIGUSR2);
  const int first = signalfd_take(fd.get()).value().number;
  const int second = signalfd_take(fd.get()).value().number;
  EXPECT_EQ(first + second, SIGUSR1 + SIGUSR2);
  EXPECT_EQ(signalfd_take(fd.get()).value().number, 0);
  ::pthread_sigmask(SIG_UNBLOCK, &signals, nullptr);
}

TEST(Event, DescriptorsThatAreNotOpen) {
  EXPECT_TRUE(fails_with(epoll_add(kNotOpen, kNotOpen, 0, nullptr), EBADF, "epoll_add"));
  EXPECT_TRUE(fails_with(epoll_modify(kNotOpen, kNotOpen, 0, nullptr), EBADF, "epoll_modify"));
  EXPECT_TRUE(fails_with(epoll_remove(kNotOpen, kNotOpen), EBADF, "epoll_remove"));
  EXPECT_TRUE(fails_with(eventfd_signal(kNotOpen), EBADF, "eventfd_signal"));
  EXPECT_TRUE(fails_with(eventfd_take(kNotOpen), EBADF, "eventfd_take"));
  EXPECT_TRUE(fails_with(timerfd_arm(kNotOpen, TimePoint()), EBADF, "timerfd_arm"));
  EXPECT_TRUE(fails_with(timerfd_disarm(kNotOpen), EBADF, "timerfd_disarm"));
  EXPECT_TRUE(fails_with(timerfd_take(kNotOpen), EBADF, "timerfd_take"));
  EXPECT_TRUE(fails_with(signalfd_take(kNotOpen), EBADF, "signalfd_take"));
}

/// With no descriptor left, everything that makes one says EMFILE and leaves nothing behind.
TEST(Event, NoDescriptorLeftIsAnErrno) {
  const FileLimit limit = file_limit().value();
  const int lowest_free = UniqueFd(::open("/dev/null", O_RDONLY | O_CLOEXEC)).get();
  sigset_t none;
  sigemptyset(&none);
  ASSERT_TRUE(set_file_limit({static_cast<std::uint64_t>(lowest_free), limit.hard}));
  const auto epoll = epoll_create();
  const auto event = eventfd_create();
  const auto timer = timerfd_create();
  const auto signals = signalfd_create(none);
  ASSERT_TRUE(set_file_limit(limit));
  EXPECT_TRUE(fails_with(epoll, EMFILE, "epoll_create"));
  EXPECT_TRUE(fails_with(event, EMFILE, "eventfd_create"));
  EXPECT_TRUE(fails_with(timer, EMFILE, "timerfd_create"));
  EXPECT_TRUE(fails_with(signals, EMFILE, "signalfd_create"));
}

}  // namespace
}  // namespace ssx::sys
