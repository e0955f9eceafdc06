#include "ssxrver/plugin/manager/retirement.h"

#include <algorithm>
#include <utility>

#include "ssxrver/base/log.h"

namespace ssx::plugins {
namespace {

// In the first the loops are left, which may begin something; in the second nothing does.
constexpr unsigned kIdleRounds = 2;

}  // namespace

void Retirement::take(std::unique_ptr<Generation> generation, Duration time) {
  if (generation == nullptr) return;
  generation->drop_routes();
  net::EventLoop& loop = app_.loop();
  loop.assert_in_loop_thread();
  retired_.push_back({std::move(generation), after(loop.now(), time)});
  if (std::exchange(is_looking_, true)) return;
  look_ = loop.run_every(kLookEvery, [this] { look_at_all(); });
}

void Retirement::look_at_all() {
  for (auto next = retired_.begin(); next != retired_.end();) look_at(next++);
  if (leaving() > 0) return;
  net::EventLoop& loop = app_.loop();
  loop.assert_in_loop_thread();
  loop.cancel(look_);
  is_looking_ = false;
}

void Retirement::look_at(Place retired) {
  if (retired->is_in_round || retired->stays) return;
  const Leases& leases = retired->generation->instance().leases();
  const bool has_left = retired->idle_rounds > 0;
  if ((has_left ? leases.total() : leases.work()) > 0) {
    retired->idle_rounds = 0;
    return report(*retired);
  }
  if (retired->idle_rounds == kIdleRounds) return unload(retired);
  retired->is_in_round = true;
  retired->generation->leave_loops([this, retired] {
    retired->is_in_round = false;
    ++retired->idle_rounds;
    look_at(retired);
  });
}

void Retirement::report(Retired& retired) const {
  if (retired.was_reported || app_.loop().now() < retired.deadline) return;
  retired.was_reported = true;
  SSX_LOG_WARN("plugin {} stays loaded: {}", retired.generation->title(),
               retired.generation->instance().leases().to_string());
}

void Retirement::unload(Place retired) {
  if (retired->generation->unload()) {
    SSX_LOG_INFO("plugin {} is gone", retired->generation->title());
    retired_.erase(retired);
    return;
  }
  retired->stays = true;
  SSX_LOG_INFO("plugin {} is gone; its library stays in memory", retired->generation->title());
}

void Retirement::end() {
  for (const Retired& retired : retired_) {
    if (retired.stays) continue;
    retired.generation->leave_ended_loops();
    retired.generation->stop();
  }
}

std::size_t Retirement::leaving() const noexcept {
  return static_cast<std::size_t>(
      std::ranges::count_if(retired_, [](const Retired& retired) { return !retired.stays; }));
}

std::size_t Retirement::count(std::string_view plugin) const noexcept {
  return static_cast<std::size_t>(std::ranges::count_if(
      retired_, [plugin](const Retired& retired) { return retired.generation->name() == plugin; }));
}

std::vector<std::string> Retirement::status(std::string_view plugin) const {
  std::vector<std::string> lines;
  for (const Retired& retired : retired_) {
    if (!plugin.empty() && retired.generation->name() != plugin) continue;
    const std::string held =
        retired.stays ? "" : retired.generation->instance().leases().to_string();
    lines.push_back(retired.generation->title() + ": " +
                    (retired.stays  ? "its library stays in memory"
                     : held.empty() ? "nothing holds it"
                                    : held));
  }
  return lines;
}

}  // namespace ssx::plugins
