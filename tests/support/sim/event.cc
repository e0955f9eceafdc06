// Compiles the real functions under a name of their own; those of ssx::sys below stand in front.
#define SSX_SYS_NAMESPACE sys_real
#include "ssxrver/sys/event.cc"  // NOLINT(bugprone-suspicious-include): see kernel.h

#include <array>
#include <atomic>
#include <map>

#include "ssxrver/base/assert.h"
#include "ssxrver/base/mutex.h"
#include "tests/support/sim/gate.h"
#include "tests/support/sim/registrations.h"
#include "tests/support/sim/virtual_time.h"

namespace ssx::sim {

namespace real = ssx::sys_real;

namespace {

using std::memory_order_relaxed;

/// epoll + 1, so that 0 means that there is none.
struct Registration {
  std::atomic<int> epoll_and_one{0};
  std::atomic<std::uint32_t> events{0};
  std::atomic<void*> user{nullptr};
};

Registration* registration(int fd) noexcept {
  static std::array<Registration, internal::kDescriptorsMax> all;
  if (fd < 0 || fd >= internal::kDescriptorsMax) return nullptr;
  return &all[static_cast<std::size_t>(fd)];
}

/// The armed timers of the VirtualTime that lives, if one does.
struct Timers {
  Mutex mutex;
  std::atomic<bool> active{false};
  test::ManualClock* clock SSX_GUARDED_BY(mutex) = nullptr;
  std::map<int, TimePoint> armed SSX_GUARDED_BY(mutex);
};

Timers& timers() noexcept {
  static Timers only;
  return only;
}

void fire(int fd) {
  const auto fired = real::timerfd_arm(fd, TimePoint(Duration(1)));
  SSX_ASSERT(fired, fd);
}

void fire_due(Timers& all) SSX_REQUIRES(all.mutex) {
  const TimePoint now = all.clock->now();
  std::erase_if(all.armed, [now](const auto& timer) {
    if (timer.second > now) return false;
    fire(timer.first);
    return true;
  });
}

void forget_timer(int fd) noexcept {
  Timers& all = timers();
  if (!all.active.load(memory_order_relaxed)) return;
  const MutexLock lock(all.mutex);
  all.armed.erase(fd);
}

/// False: no VirtualTime, the timer is the real kernel's.
bool arm_virtual(int fd, TimePoint when) {
  Timers& all = timers();
  if (!all.active.load(memory_order_relaxed)) return false;
  const MutexLock lock(all.mutex);
  // Disarmed first: an expiry that an earlier time has left behind must not wake anybody.
  if (all.clock == nullptr || !real::timerfd_disarm(fd)) return false;
  all.armed.insert_or_assign(fd, when);
  fire_due(all);
  return true;
}

void shuffle(std::span<epoll_event> events) noexcept {
  for (std::size_t left = events.size(); left > 1; --left) {
    std::swap(events[left - 1], events[internal::next_random() % left]);
  }
}

}  // namespace

VirtualTime::VirtualTime(test::ManualClock& clock) : clock_(clock) {
  Timers& all = timers();
  {
    const MutexLock lock(all.mutex);
    SSX_ASSERT(all.clock == nullptr);
    all.clock = &clock;
  }
  all.active.store(true);
  clock_.on_turn([&all] {
    const MutexLock lock(all.mutex);
    fire_due(all);
  });
}

VirtualTime::~VirtualTime() {
  clock_.on_turn(nullptr);
  Timers& all = timers();
  all.active.store(false);
  const MutexLock lock(all.mutex);
  all.clock = nullptr;
  all.armed.clear();
}

namespace internal {

void remember_registration(int epoll, int fd, std::uint32_t events, void* user) noexcept {
  Registration* const entry = registration(fd);
  if (entry == nullptr) return;
  const bool edge = (events & EPOLLET) != 0;
  entry->events.store(events, memory_order_relaxed);
  entry->user.store(user, memory_order_relaxed);
  entry->epoll_and_one.store(edge ? epoll + 1 : 0, memory_order_relaxed);
}

void forget_descriptor(int fd) noexcept {
  if (Registration* const entry = registration(fd)) {
    entry->epoll_and_one.store(0, memory_order_relaxed);
  }
  forget_timer(fd);
}

void repeat_edge(int fd) noexcept {
  const Registration* const entry = registration(fd);
  if (entry == nullptr) return;
  const int epoll = entry->epoll_and_one.load(memory_order_relaxed) - 1;
  if (epoll < 0) return;
  // The registration may have gone with its epoll descriptor: then there is nobody to wake.
  static_cast<void>(real::epoll_modify(epoll, fd, entry->events.load(memory_order_relaxed),
                                       entry->user.load(memory_order_relaxed)));
}

}  // namespace internal
}  // namespace ssx::sim

namespace ssx::sys {

namespace real = ssx::sys_real;
using sim::Call;
using sim::internal::guarded;

Result<UniqueFd> epoll_create() {
  return guarded(Call::kEpollCreate, [] { return real::epoll_create(); });
}

Result<void> epoll_add(int epoll, int fd, std::uint32_t events, void* user) {
  auto added = guarded(Call::kEpollAdd, [&] { return real::epoll_add(epoll, fd, events, user); });
  if (added) sim::internal::remember_registration(epoll, fd, events, user);
  return added;
}

Result<void> epoll_modify(int epoll, int fd, std::uint32_t events, void* user) {
  auto modified =
      guarded(Call::kEpollModify, [&] { return real::epoll_modify(epoll, fd, events, user); });
  if (modified) sim::internal::remember_registration(epoll, fd, events, user);
  return modified;
}

Result<void> epoll_remove(int epoll, int fd) {
  auto removed = guarded(Call::kEpollRemove, [&] { return real::epoll_remove(epoll, fd); });
  if (removed) sim::internal::remember_registration(epoll, fd, 0, nullptr);
  return removed;
}

Result<std::size_t> epoll_wait(int epoll, std::span<epoll_event> events, int timeout_ms) {
  const sim::internal::Decision decision = sim::internal::decide(Call::kEpollWait, events.size());
  if (decision.error != 0) return sim::internal::failure(Call::kEpollWait, decision.error);
  const auto room = events.first(std::min(events.size(), decision.limit));
  auto count = real::epoll_wait(epoll, room, timeout_ms);
  if (count && sim::internal::shuffled()) sim::shuffle(room.first(*count));
  return count;
}

Result<UniqueFd> eventfd_create() {
  return guarded(Call::kEventfdCreate, [] { return real::eventfd_create(); });
}

Result<void> eventfd_signal(int fd) {
  return guarded(Call::kEventfdSignal, [&] { return real::eventfd_signal(fd); });
}

Result<std::uint64_t> eventfd_take(int fd) {
  return guarded(Call::kEventfdTake, [&] { return real::eventfd_take(fd); });
}

Result<UniqueFd> timerfd_create() {
  return guarded(Call::kTimerfdCreate, [] { return real::timerfd_create(); });
}

Result<void> timerfd_arm(int fd, TimePoint when) {
  return guarded(Call::kTimerfdArm, [&] {
    return sim::arm_virtual(fd, when) ? Result<void>() : real::timerfd_arm(fd, when);
  });
}

Result<void> timerfd_disarm(int fd) {
  sim::forget_timer(fd);
  return guarded(Call::kTimerfdDisarm, [&] { return real::timerfd_disarm(fd); });
}

Result<std::uint64_t> timerfd_take(int fd) {
  return guarded(Call::kTimerfdTake, [&] { return real::timerfd_take(fd); });
}

Result<UniqueFd> signalfd_create(const sigset_t& signals) {
  return guarded(Call::kSignalfdCreate, [&] { return real::signalfd_create(signals); });
}

Result<TakenSignal> signalfd_take(int fd) {
  return guarded(Call::kSignalfdTake, [&] { return real::signalfd_take(fd); });
}

}  // namespace ssx::sys
