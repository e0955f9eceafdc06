#include "ssxrver/plugin/manager/reload.h"

#include "ssxrver/app/app.h"

namespace ssx::plugins {
namespace {

Outcome<> refuse(std::string sentence) { return UnexpectedOf<std::string>(std::move(sentence)); }

}  // namespace

void Reload::create() {
  auto made = Generation::open(environment_, plan_.options, plan_.checks, plan_.number);
  if (!made) return end(refuse(std::move(made).error()));
  next_ = *std::move(made);
  take_state_and_start();
}

void Reload::take_state_and_start() {
  if (const auto taken = next_->take_state_of(old_); !taken) return end(taken);
  if (const auto started = next_->start(); !started) return end(started);
  enter();
}

void Reload::enter() {
  next_->enter_loops([this](const Outcome<>& entered) { entered ? swap() : end(entered); });
}

void Reload::swap() {
  environment_.app().replace(next_->name(), next_->take_routes(),
                             [this](const RoutesResult& replaced) {
                               end(replaced ? Outcome<>() : refuse(replaced.error().text()));
                             });
}

void Reload::end(const Outcome<>& outcome) {
  Then then = std::move(then_);
  if (then) then(outcome);
}

}  // namespace ssx::plugins
