#include "ssxrver/plugin/host/wait.h"

#include <utility>

#include "ssxrver/plugin/host/db_outcome.h"

using ssx::plugins::DbOutcome;
using ssx::plugins::Lease;
using ssx::plugins::LeaseKind;

ssxrver_wait::ssxrver_wait(Work work, ssx::plugins::Instance* instance, LeaseKind kind,
                           ssxrver_waiter waiter) noexcept
    : Continuation(&finished), instance_(instance), work_(std::move(work)), waiter_(waiter) {
  if (instance != nullptr) lease_ = Lease(instance->leases(), kind);
}

ssxrver_wait::~ssxrver_wait() = default;

std::int32_t ssxrver_wait::begin(Work work, ssx::plugins::Instance* instance, ssxrver_waiter waiter,
                                 ssxrver_wait** out, ssxrver_wait** place) {
  auto* const loop = ssx::net::EventLoop::current();
  if (loop == nullptr) return SSXRVER_WRONG_THREAD;
  auto* const wait = new ssxrver_wait(std::move(work), instance, LeaseKind::kWaits, waiter);
  if (wait->work_.start(*wait)) {
    const std::int32_t status = wait->work_.result();
    delete wait;
    return status;
  }
  if (!loop->at_end(*wait)) {
    delete wait;
    return SSXRVER_CLOSED;
  }
  if (out != nullptr) *out = wait;
  if (place != nullptr) *place = wait;
  wait->place_ = place;
  return SSXRVER_PENDING;
}

std::int32_t ssxrver_wait::begin_later(Work work, std::unique_ptr<DbOutcome> outcome,
                                       ssx::plugins::Instance& instance, ssxrver_waiter waiter,
                                       ssxrver_wait** out) {
  auto* const loop = ssx::net::EventLoop::current();
  if (loop == nullptr) return SSXRVER_WRONG_THREAD;
  auto* const wait = new ssxrver_wait(std::move(work), &instance, LeaseKind::kQueries, waiter);
  wait->outcome_ = std::move(outcome);
  loop->assert_in_loop_thread();
  if (!loop->at_end(*wait)) {
    delete wait;
    return SSXRVER_CLOSED;
  }
  if (out != nullptr) *out = wait;
  if (wait->work_.start(*wait)) loop->after_ready(*wait);
  return SSXRVER_PENDING;
}

DbOutcome* ssxrver_wait::outcome() const noexcept { return told_ ? outcome_.get() : nullptr; }

void ssxrver_wait::on_turn_end() { tell(work_.result()); }

void ssxrver_wait::finished(Continuation& self) noexcept {
  auto& wait = static_cast<ssxrver_wait&>(self);
  wait.tell(wait.work_.result());
}

void ssxrver_wait::on_loop_end() {
  work_.reset();
  if (outcome_ != nullptr) outcome_->close();
  tell(SSXRVER_CLOSED);
}

void ssxrver_wait::leave_place() noexcept {
  if (place_ != nullptr) *std::exchange(place_, nullptr) = nullptr;
}

void ssxrver_wait::tell(std::int32_t status) noexcept {
  leave_place();
  told_ = true;  // cancel() from in there is too late
  if (waiter_.done != nullptr) {
    const auto done = [this, status] { waiter_.done(waiter_.context, status); };
    if (instance_ != nullptr) {
      instance_->call_void("the end of a wait", done);
    } else {
      done();
    }
  }
  delete this;
}

void ssxrver_wait::cancel() noexcept {
  if (told_) return;
  leave_place();
  delete this;
}
