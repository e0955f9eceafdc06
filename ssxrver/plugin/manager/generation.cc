#include "ssxrver/plugin/manager/generation.h"

#include <fmt/format.h>

#include <utility>
#include <vector>

#include "ssxrver/base/assert.h"
#include "ssxrver/plugin/manager/loop_round.h"

namespace ssx::plugins {
namespace {

UnexpectedOf<std::string> refuse(std::string sentence) {
  return UnexpectedOf<std::string>(std::move(sentence));
}

/// What the schema of the library says against the configuration; empty: nothing.
std::string object_to(const PluginFile& file, const PluginOptions& plugin) {
  if (!file.schema()) return {};
  std::string sentences;
  for (const json::Violation& one : file.schema()->check(plugin.config)) {
    sentences +=
        fmt::format("{}config{}: {}", sentences.empty() ? "" : "; ", one.pointer, one.text);
  }
  return sentences;
}

}  // namespace

Expected<std::unique_ptr<Generation>, std::string> Generation::open(
    Environment& environment, const PluginOptions& plugin, const PluginFile::Checks& checks,
    std::uint64_t number) {
  auto file = PluginFile::open(plugin.file(), checks);
  if (!file) return refuse(std::move(file).error());
  if (auto problem = object_to(**file, plugin); !problem.empty()) {
    return refuse((*file)->path() + ": " + problem);
  }
  if ((*file)->description().has(SSXRVER_PLUGIN_NEEDS_TASKS) &&
      environment.app().options().tasks.threads == 0) {
    return refuse((*file)->path() + " needs task threads: set \"task_processes\" above 0");
  }
  std::unique_ptr<Generation> made(new Generation(environment, *std::move(file), number));
  const ssxrver_plugin_desc desc = made->file_->description().raw();
  auto instance = Instance::create(environment, {plugin.name, plugin.mount, plugin.config, &desc});
  if (!instance) return refuse(made->file_->path() + ": " + instance.error());
  made->instance_ = *std::move(instance);
  return made;
}

Generation::~Generation() { stop(); }

void Generation::stop() {
  if (std::exchange(is_started_, false)) instance_->stop();
}

RouteSet Generation::take_routes() {
  RouteSet set;
  for (InstanceRoute& route : instance_->take_routes()) {
    set.route(std::move(route.methods), route.pattern, std::move(route.handler),
              std::move(route.settings));
  }
  return set;
}

Outcome<> Generation::start() {
  auto started = instance_->start();
  is_started_ = started.has_value();
  return started;
}

void Generation::enter_loops(UniqueFunction<void(Outcome<>)> then) {
  loops_entered_ = environment_.worker_count();
  LoopRound::begin(
      environment_, [this](std::uint32_t worker) { return instance_->enter_loop(worker); },
      std::move(then));
}

void Generation::leave_loops(UniqueFunction<void()> then) {
  const bool has_entered = std::exchange(loops_entered_, 0) != 0;
  auto leave = [this, has_entered](std::uint32_t worker) -> Outcome<> {
    if (has_entered) instance_->leave_loop(worker);
    return {};
  };
  // Also where nothing was entered: a call of the instance's may be about to return on a loop.
  LoopRound::begin(environment_, leave,
                   [then = std::move(then)](const Outcome<>&) mutable { then(); });
}

void Generation::leave_ended_loops() {
  const std::uint32_t entered = std::exchange(loops_entered_, 0);
  for (std::uint32_t worker = 0; worker < entered; ++worker) instance_->leave_loop(worker);
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

std::string Generation::title() const {
  return fmt::format("{} {}, generation {}", instance_->name(), file_->description().version(),
                     number_);
}

}  // namespace ssx::plugins
