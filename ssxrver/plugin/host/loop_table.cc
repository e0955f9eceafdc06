// The interface "ssxrver.loop": time, other loops, task threads.
#include <chrono>
#include <memory>
#include <utility>

#include "ssxrver/net/awaitables.h"
#include "ssxrver/net/error.h"
#include "ssxrver/net/task_pool.h"
#include "ssxrver/plugin/host/carried_call.h"
#include "ssxrver/plugin/host/instance.h"
#include "ssxrver/plugin/host/plugin_timer.h"
#include "ssxrver/plugin/host/tables.h"
#include "ssxrver/plugin/host/wait.h"

namespace ssx::plugins {
namespace {

Instance* instance_of(ssxrver_context* context) noexcept { return static_cast<Instance*>(context); }

ssxrver_loop* current(ssxrver_context* context) noexcept {
  if (context == nullptr) return nullptr;
  Environment& environment = instance_of(context)->environment();
  const auto worker = environment.current_worker();
  return worker ? environment.loop(*worker) : nullptr;
}

std::uint32_t worker_count(ssxrver_context* context) noexcept {
  return context == nullptr ? 0 : instance_of(context)->environment().worker_count();
}

std::int64_t now(ssxrver_context*) noexcept {
  const net::EventLoop* const loop = net::EventLoop::current();
  const TimePoint now = loop != nullptr ? loop->now() : SystemClock::instance().now();
  return now.time_since_epoch().count();
}

// ---- waits

Task<std::int32_t> sleep_for(Duration delay) {
  co_await net::sleep_for(delay);
  co_return SSXRVER_OK;
}

std::int32_t begin_sleep(ssxrver_context* context, std::int64_t delay_ns, ssxrver_waiter waiter,
                         ssxrver_wait** wait) noexcept {
  return ssxrver_wait::begin(sleep_for(Duration(delay_ns)), instance_of(context), waiter, wait);
}

std::int32_t status_of(const Error& error) noexcept {
  if (error == net::Errc::kTaskQueueFull) return SSXRVER_LIMIT;
  if (error.code() == Errc::kClosed) return SSXRVER_CLOSED;
  return error.code() == Errc::kUnsupported ? SSXRVER_UNSUPPORTED : SSXRVER_ERROR;
}

Task<std::int32_t> work_on(net::TaskPool& pool, CarriedCall call) {
  auto job = pool.run(std::move(call));
  const auto status = co_await job;
  co_return status ? *status : status_of(status.error());
}

std::int32_t run_task(ssxrver_context* context, void (*run)(void* state),
                      void (*release)(void* state), void* state, ssxrver_waiter waiter,
                      ssxrver_wait** wait) noexcept {
  if (context == nullptr) return SSXRVER_INVALID;
  Instance& instance = *instance_of(context);
  CarriedCall call(instance, LeaseKind::kTasks, run, release, state);
  if (run == nullptr) return SSXRVER_INVALID;
  if (!instance.environment().current_worker()) return SSXRVER_WRONG_THREAD;
  return ssxrver_wait::begin(work_on(instance.environment().app().tasks(), std::move(call)),
                             &instance, waiter, wait);
}

void cancel(ssxrver_wait* wait) noexcept {
  if (wait != nullptr) wait->cancel();
}

// ---- timers, posts

std::int32_t start_timer(ssxrver_context* context, std::int64_t delay_ns, std::int64_t interval_ns,
                         void (*fire)(void* state), void (*release)(void* state), void* state,
                         ssxrver_timer** timer) noexcept {
  if (context == nullptr) return SSXRVER_INVALID;
  const LeaseKind kind = interval_ns > 0 ? LeaseKind::kRepeats : LeaseKind::kTimers;
  CarriedCall call(*instance_of(context), kind, fire, release, state);
  if (fire == nullptr || delay_ns < 0 || interval_ns < 0) return SSXRVER_INVALID;
  return ssxrver_timer::start(std::move(call), Duration(delay_ns), Duration(interval_ns), timer);
}

void cancel_timer(ssxrver_timer* timer) noexcept {
  if (timer != nullptr) timer->cancel();
}

std::int32_t post(ssxrver_context* context, std::uint32_t worker, void (*run)(void* state),
                  void (*release)(void* state), void* state) noexcept {
  if (context == nullptr) return SSXRVER_INVALID;
  Instance& instance = *instance_of(context);
  CarriedCall call(instance, LeaseKind::kPosts, run, release, state);
  if (run == nullptr || worker >= instance.environment().worker_count()) return SSXRVER_INVALID;
  if (!instance.takes_work()) return SSXRVER_UNAVAILABLE;
  const ssxrver_loop* const loop = instance.environment().loop(worker);
  if (loop == nullptr) return SSXRVER_UNAVAILABLE;
  return loop->loop->post([call = std::move(call)] { (void)call(); }) ? SSXRVER_OK : SSXRVER_CLOSED;
}

}  // namespace

const ssxrver_loops kLoopTable = {.size = sizeof(ssxrver_loops),
                                  .current = &current,
                                  .worker_count = &worker_count,
                                  .now = &now,
                                  .sleep = &begin_sleep,
                                  .timer = &start_timer,
                                  .cancel_timer = &cancel_timer,
                                  .post = &post,
                                  .run_task = &run_task,
                                  .cancel = &cancel};

}  // namespace ssx::plugins
