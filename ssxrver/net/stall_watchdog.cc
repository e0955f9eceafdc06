#include "ssxrver/net/stall_watchdog.h"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <utility>

#include "ssxrver/base/assert.h"
#include "ssxrver/base/log.h"
#include "ssxrver/net/turn_mark.h"
#include "ssxrver/sys/process.h"

namespace ssx::net {
namespace {

using std::chrono::milliseconds;

std::int64_t to_ms(Duration time) noexcept {
  return std::chrono::duration_cast<milliseconds>(time).count();
}

TimePoint now() noexcept { return SystemClock::instance().now(); }

}  // namespace

Duration StallWatchdog::interval_of(Duration limit) noexcept {
  return std::clamp<Duration>(limit / 10, milliseconds(1), std::chrono::seconds(1));
}

Result<std::unique_ptr<StallWatchdog>> StallWatchdog::start(Duration limit,
                                                            std::vector<Watched> loops) {
  SSX_ASSERT(limit > Duration::zero());
  std::unique_ptr<StallWatchdog> watchdog(new StallWatchdog(limit, std::move(loops)));
  StallWatchdog* const self = watchdog.get();
  SSX_TRY(watchdog->thread_,
          Thread::start("ssx-watchdog", std::nullopt, [self] { self->watch(); }));
  return watchdog;
}

StallWatchdog::StallWatchdog(Duration limit, std::vector<Watched> loops) : limit_(limit) {
  loops_.reserve(loops.size());
  for (Watched& each : loops) {
    loops_.push_back({std::move(each), StallJudge(limit, interval_of(limit), now())});
  }
}

StallWatchdog::~StallWatchdog() {
  {
    const MutexLock lock(mutex_);
    stopping_ = true;
  }
  stopped_.notify_one();
  thread_.join();
}

void StallWatchdog::watch() {
  const MutexLock lock(mutex_);
  while (!stopping_) {
    stopped_.wait_for(mutex_, interval_of(limit_));
    look();
  }
}

void StallWatchdog::look() {
  for (Seen& seen : loops_) {
    const TurnMark& mark = seen.watched.loop->turn_mark();
    if (const auto lasted = seen.judge.look(mark.began(), now()))
      end_process(seen.watched, *lasted);
  }
}

void StallWatchdog::end_process(const Watched& watched, Duration lasted) {
  // First of all: writing the line may hang as well, and the thread may not hear its signal.
  static_cast<void>(sys::signal_later(SIGABRT, kLastWords));
  const TurnMark& mark = watched.loop->turn_mark();
  const char* const label = mark.label();
  SSX_LOG_FATAL(
      "{} hangs in {}: its turn has lasted {} ms (loop.stall_kill is {} ms); SIGABRT for "
      "its thread {}",
      watched.name, label == nullptr ? "a callback without a name" : label, to_ms(lasted),
      to_ms(limit_), mark.thread());
  static_cast<void>(sys::signal_thread(mark.thread(), SIGABRT));
  stopped_.wait_for(mutex_, kLastWords);
  std::abort();
}

}  // namespace ssx::net
