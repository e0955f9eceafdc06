#include "ssxrver/net/event_loop.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "ssxrver/base/assert.h"
#include "ssxrver/base/log.h"
#include "ssxrver/net/linux/epoll_poller.h"
#include "ssxrver/sys/event.h"
#include "ssxrver/sys/process.h"

namespace ssx::net {
namespace {

thread_local EventLoop* current_loop = nullptr;

std::int64_t to_ms(Duration time) noexcept {
  return std::chrono::duration_cast<std::chrono::milliseconds>(time).count();
}

}  // namespace

Result<std::unique_ptr<EventLoop>> EventLoop::create(const LoopOptions& options) {
  return create(options, SystemClock::instance());
}

Result<std::unique_ptr<EventLoop>> EventLoop::create(const LoopOptions& options, const Clock& clock,
                                                     std::unique_ptr<Poller> poller) {
  if (poller == nullptr) {
    SSX_TRY(poller, EpollPoller::create(options.max_events));
  }
  SSX_TRY(sys::UniqueFd eventfd, sys::eventfd_create());
  SSX_TRY(sys::UniqueFd timerfd, sys::timerfd_create());
  std::unique_ptr<EventLoop> loop(
      new EventLoop(options, clock, std::move(poller), std::move(eventfd), std::move(timerfd)));
  SSX_TRY_VOID(loop->add(*loop->mailbox_, kReadable));
  SSX_TRY_VOID(loop->add(loop->timer_channel_, kReadable));
  return loop;
}

EventLoop::EventLoop(const LoopOptions& options, const Clock& clock, std::unique_ptr<Poller> poller,
                     sys::UniqueFd eventfd, sys::UniqueFd timerfd)
    : options_(options),
      clock_(clock),
      poller_(std::move(poller)),
      now_(clock.now()),
      wheel_(now_),
      timer_channel_(std::move(timerfd)),
      owner_(std::this_thread::get_id()),
      mailbox_(std::make_shared<Mailbox>(std::move(eventfd))) {
  SSX_ASSERT(options.tasks_per_turn > 0 && options.timers_per_turn > 0);
}

EventLoop::~EventLoop() {
  SSX_ASSERT(current_loop != this);
  mailbox_->close();
  run_loop_ends();
  mailbox_->discard();
}

EventLoop* EventLoop::current() noexcept { return current_loop; }

void EventLoop::run(Function first) {
  SSX_ASSERT(current_loop == nullptr);
  owner_.store(std::this_thread::get_id(), std::memory_order_relaxed);
  mark_.set_thread(sys::thread_id());
  current_loop = this;
  if (first) first();
  get_ready();
  while (!is_stopping()) turn(true);
  mailbox_->finish();
  run_loop_ends();
  run_ends(turn_ends_);
  current_loop = nullptr;
  owner_.store(std::thread::id(), std::memory_order_relaxed);
}

void EventLoop::stop() noexcept {
  stopping_.store(true, std::memory_order_release);
  mailbox_->wake();
}

void EventLoop::run_until_idle() {
  assert_in_loop_thread();
  EventLoop* const outer = std::exchange(current_loop, this);
  while (turn(false)) {
  }
  current_loop = outer;
}

void EventLoop::run_until(UniqueFunction<bool()> done) {
  assert_in_loop_thread();
  EventLoop* const outer = std::exchange(current_loop, this);
  get_ready();
  while (!done()) turn(true);
  current_loop = outer;
}

// Timers and work for the end of a turn that were given to the loop while it did not turn: the
// first turn must not wait for them for ever.
void EventLoop::get_ready() {
  now_ = clock_.now();
  if (!turn_ends_.empty() || !ready_ends_.empty()) more_waiting_ = true;
  arm_timer();
}

bool EventLoop::dispatch(Function function) {
  // Not is_in_loop_thread(): when the loop has ended, that is true on every thread.
  if (owner_.load(std::memory_order_relaxed) != std::this_thread::get_id()) {
    return post(std::move(function));
  }
  function();
  return true;
}

TimerId EventLoop::run_at(TimePoint when, Function callback) {
  assert_in_loop_thread();
  // Not earlier than now: what is set to a time long gone again and again would always come first.
  return timers_.add(std::max(when, now_), Duration::zero(), std::move(callback));
}

TimerId EventLoop::run_after(Duration delay, Function callback) {
  return run_at(after(clock_.now(), delay), std::move(callback));
}

TimerId EventLoop::run_every(Duration period, Function callback) {
  assert_in_loop_thread();
  SSX_ASSERT(period > Duration::zero());
  return timers_.add(after(clock_.now(), period), period, std::move(callback));
}

bool EventLoop::cancel(TimerId id) {
  assert_in_loop_thread();
  return timers_.cancel(id);
}

Result<void> EventLoop::add(Channel& channel, Readiness interest) {
  assert_in_loop_thread();
  SSX_DCHECK(!channel.registered_);
  SSX_TRY_VOID(poller_->add(channel, interest));
  channel.registered_ = true;
  channel.interest_ = interest;
  return {};
}

Result<void> EventLoop::set_interest(Channel& channel, Readiness interest) {
  assert_in_loop_thread();
  SSX_DCHECK(channel.registered_);
  if (channel.interest_ == interest) return {};
  SSX_TRY_VOID(poller_->modify(channel, interest));
  channel.interest_ = interest;
  return {};
}

void EventLoop::remove(Channel& channel) {
  assert_in_loop_thread();
  if (!channel.registered_) return;
  poller_->remove(channel);
  forget(channel);
  // It may be destroyed now, even by a callback of this turn that comes before its own.
  for (Poller::Event& event : dispatching_) {
    if (event.channel == &channel) event.channel = nullptr;
  }
}

void EventLoop::forget(Channel& channel) noexcept {
  channel.registered_ = false;
  channel.interest_ = kNothing;
}

void EventLoop::assert_in_loop_thread() const noexcept { SSX_ASSERT(is_in_loop_thread()); }

// True when something happened, so that another turn may find more.
bool EventLoop::turn(bool may_block) {
  SSX_ASSERT(dispatching_.empty());  // a turn inside on_ready() would lose what is told once
  const auto events = poller_->wait(may_block && !more_waiting_);
  now_ = clock_.now();
  mark_.begin(now_);
  turn_start_ = callback_start_ = clock_.coarse_now();
  longest_ = Duration::zero();
  dispatch_ready(events);
  run_ends(ready_ends_);
  const bool fired = std::min(timers_.next_due(), wheel_.next_due()) <= now_;
  const bool more_timers = run_timers();
  const bool more_posts = mailbox_->drain(options_.tasks_per_turn);
  note_elapsed([] { return "posted function"; });
  run_ends(ready_ends_);
  const bool ended = !turn_ends_.empty();
  run_ends(turn_ends_);
  run_ends(ready_ends_);
  more_waiting_ = more_timers || more_posts || !turn_ends_.empty();
  arm_timer();
  if (callback_start_ - turn_start_ >= options_.stall_warn) warn_of_stall();
  mark_.end();
  return !events.empty() || fired || ended || more_waiting_;
}

void EventLoop::dispatch_ready(std::span<Poller::Event> events) {
  dispatching_ = events;
  for (Poller::Event& event : events) {
    // An earlier callback of this turn may have removed it, or closed its descriptor.
    if (event.channel == nullptr || !event.channel->registered_) continue;
    const bool times_itself = event.channel->timed_ == Channel::Timed::kByItself;
    event.channel->on_ready(event.ready);
    if (times_itself) continue;
    note_elapsed(
        [&event] { return event.channel == nullptr ? "removed" : event.channel->label(); });
  }
  dispatching_ = {};
}

bool EventLoop::run_timers() {
  const bool more_timers =
      timers_.next_due() <= now_ && timers_.run_due(now_, options_.timers_per_turn);
  note_elapsed([] { return "timer"; });
  const bool more_deadlines =
      wheel_.next_due() <= now_ && wheel_.run_due(now_, options_.timers_per_turn);
  note_elapsed([] { return "timer"; });
  return more_timers || more_deadlines;
}

void EventLoop::run_ends(IntrusiveList<TurnEnd, EventLoop>& list) {
  IntrusiveList<TurnEnd, EventLoop> ends;  // what links itself again runs the next time
  ends.splice_back(list);
  while (TurnEnd* work = ends.pop_front()) {
    work->on_turn_end();
    note_elapsed([] { return "end of the turn"; });
  }
}

void EventLoop::run_loop_ends() {
  ended_ = true;
  while (LoopEnd* end = loop_ends_.pop_front()) end->on_loop_end();
}

void EventLoop::arm_timer() {
  const TimePoint next = std::min(timers_.next_due(), wheel_.next_due());
  // An alarm that rings too early only costs a turn, so it is never moved back; and another turn
  // costs less than an alarm for a time that has come meanwhile.
  const bool is_earlier = next < timer_channel_.armed;
  if (next <= now_ || (is_earlier && next <= clock_.now())) {
    more_waiting_ = true;
    return;
  }
  if (!is_earlier) return;
  if (const auto armed = sys::timerfd_arm(timer_channel_.timerfd.get(), next); !armed) {
    SSX_LOG_ERROR("{}", armed.error().message());
    return;
  }
  timer_channel_.armed = next;
}

void EventLoop::warn_of_stall() {
  const Duration elapsed = callback_start_ - turn_start_;
  if (options_.stall_warn == Duration::zero()) return;
  stalls_.fetch_add(1, std::memory_order_relaxed);
  SSX_LOG_WARN("a turn of the loop took {} ms (longest: {}, {} ms)", to_ms(elapsed), longest_name_,
               to_ms(longest_));
}

void EventLoop::TimerChannel::on_ready(Readiness) {
  (void)sys::timerfd_take(timerfd.get());
  armed = TimePoint::max();
}

}  // namespace ssx::net
