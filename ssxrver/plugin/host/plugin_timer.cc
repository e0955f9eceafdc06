#include "ssxrver/plugin/host/plugin_timer.h"

#include <utility>

using ssx::Duration;
using ssx::TimePoint;
using ssx::net::EventLoop;
using ssx::plugins::CarriedCall;
using ssx::plugins::Instance;

ssxrver_timer::ssxrver_timer(CarriedCall call, EventLoop& loop, TimePoint due,
                             Duration interval) noexcept
    : call_(std::move(call)), loop_(loop), due_(due), interval_(interval) {}

std::int32_t ssxrver_timer::start(CarriedCall call, Duration delay, Duration interval,
                                  ssxrver_timer** out) {
  Instance& instance = call.instance();
  const auto worker = instance.environment().current_worker();
  if (!worker) return SSXRVER_WRONG_THREAD;
  EventLoop& loop = *EventLoop::current();
  auto* const timer =
      new ssxrver_timer(std::move(call), loop, ssx::after(loop.now(), delay), interval);
  if (!loop.at_end(*timer)) {
    delete timer;
    return SSXRVER_CLOSED;
  }
  instance.timers(*worker).push_back(*timer);
  timer->arm();
  if (out != nullptr) *out = timer;
  return SSXRVER_OK;
}

void ssxrver_timer::arm() {
  loop_.assert_in_loop_thread();
  timer_ = loop_.run_at(due_, [this] { fire(); });
}

void ssxrver_timer::fire() {
  firing_ = true;
  (void)call_();
  firing_ = false;
  if (over_ || interval_ == Duration::zero()) {
    delete this;
    return;
  }
  const Duration late = loop_.now() - due_;
  due_ = ssx::after(due_, interval_ * (late / interval_ + 1));
  arm();
}

void ssxrver_timer::cancel() noexcept {
  if (EventLoop::current() != &loop_)
    return call_.instance().misuse("a timer", "cancelled on another thread");
  loop_.assert_in_loop_thread();
  if (firing_) {
    over_ = true;
    return;
  }
  loop_.cancel(timer_);
  delete this;
}

// run_loop_ends() is called while nothing fires.
void ssxrver_timer::on_loop_end() {
  loop_.assert_in_loop_thread();
  loop_.cancel(timer_);
  delete this;
}
