#include "ssxrver/plugin/manager/generation.h"

#include <fmt/format.h>

#include <utility>

#include "ssxrver/plugin/manager/loop_round.h"

namespace ssx::plugins {
namespace {

UnexpectedOf<std::string> refuse(std::string sentence) {
  return UnexpectedOf<std::string>(std::move(sentence));
}

}  // namespace

Generation::Generation(Environment& environment, std::unique_ptr<PluginFile> file,
                       const PluginOptions& plugin, std::uint64_t number)
    : environment_(environment),
      file_(std::move(file)),
      name_(plugin.name),
      title_(fmt::format("{} {}, generation {}", name_, file_->description().version(), number)),
      has_entered_(std::make_unique<bool[]>(environment.worker_count())) {}

Expected<std::unique_ptr<Generation>, std::string> Generation::open(
    Environment& environment, const PluginOptions& plugin, const PluginFile::Checks& checks,
    std::uint64_t number) {
  auto file = PluginFile::open(plugin.file(), checks);
  if (!file) return refuse(std::move(file).error());
  return make(environment, plugin, *std::move(file), number);
}

Expected<std::unique_ptr<Generation>, std::string> Generation::make(
    Environment& environment, const PluginOptions& plugin, std::unique_ptr<PluginFile> file,
    std::uint64_t number) {
  std::unique_ptr<Generation> made(new Generation(environment, std::move(file), plugin, number));
  const std::string& path = made->file_->path();
  if (const auto problem = made->object_to(plugin.config); !problem.empty()) {
    return refuse(path + ": " + problem);
  }
  const ssxrver_plugin_desc desc = made->file_->description().raw();
  auto instance = Instance::create(environment, {plugin.name, plugin.mount, plugin.config, &desc});
  if (!instance) return refuse(path + ": " + instance.error());
  made->instance_ = *std::move(instance);
  made->routes_ = made->instance_->take_routes();
  return made;
}

RouteSet Generation::take_routes() {
  RouteSet set;
  for (InstanceRoute& route : std::exchange(routes_, {})) {
    set.route(std::move(route.methods), route.pattern, std::move(route.handler),
              std::move(route.settings));
  }
  return set;
}

// ---- forth

Outcome<> Generation::start() {
  auto started = instance_->start();
  is_started_ = started.has_value();
  return started;
}

Outcome<> Generation::enter_loop(std::uint32_t worker) {
  auto entered = instance_->enter_loop(worker);
  has_entered_[worker] = entered.has_value();
  return entered;
}

void Generation::enter_loops(UniqueFunction<void(Outcome<>)> then) {
  LoopRound::begin(
      environment_, [this](std::uint32_t worker) { return enter_loop(worker); }, std::move(then));
}

// ---- and back

void Generation::leave_loop(std::uint32_t worker) {
  if (std::exchange(has_entered_[worker], false)) instance_->leave_loop(worker);
}

void Generation::leave_loops(UniqueFunction<void()> then) {
  const auto leave = [this](std::uint32_t worker) -> Outcome<> {
    leave_loop(worker);
    instance_->end_timers(worker);
    return {};
  };
  LoopRound::begin(environment_, leave,
                   [then = std::move(then)](const Outcome<>&) mutable { then(); });
}

void Generation::leave_ended_loops() {
  for (std::uint32_t worker = 0; worker < environment_.worker_count(); ++worker) {
    leave_loop(worker);
  }
}

void Generation::stop() {
  if (std::exchange(is_started_, false)) instance_->stop();
}

bool Generation::unload() {
  routes_.clear();
  if (instance_ != nullptr) {
    stop();
    instance_.reset();
  }
  return file_->close();
}

// ---- what it says and takes

std::string Generation::object_to(const json::Value& config) const {
  std::string sentences;
  for (const json::Violation& one : file_->object_to(config)) {
    sentences +=
        fmt::format("{}config{}: {}", sentences.empty() ? "" : "; ", one.pointer, one.text);
  }
  return sentences;
}

Outcome<> Generation::take_state_of(Generation& old) {
  auto state = old.instance().export_state();
  if (!state) return refuse(std::move(state).error());
  if (!*state) return {};
  if (!file_->description().takes_state((*state)->version)) {
    return refuse(fmt::format("it does not take the state of {}, which is of version {}",
                              old.title(), (*state)->version));
  }
  return instance_->import_state(**state);
}

}  // namespace ssx::plugins
