#include "ssxrver/plugin/manager/manager.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <ranges>
#include <utility>

#include "ssxrver/base/assert.h"
#include "ssxrver/base/log.h"
#include "ssxrver/plugin/file/start_order.h"
#include "ssxrver/sys/file.h"

namespace ssx::plugins {

Manager::Manager(App& app, ManagerOptions options, EnvironmentOptions environment)
    : app_(app), options_(std::move(options)), environment_(app, std::move(environment)) {}

Manager::~Manager() = default;

// ---- the start

StartupResult<void> Manager::load() {
  const auto order = plugin_start_order(options_.plugins);
  if (!order) {
    return fail_start(ExitCode::kConfig,
                      "plugins: \"depends\" leads in a circle: " + order.error().text);
  }
  for (const std::size_t index : *order) {
    auto plugin = std::make_unique<Plugin>(options_.plugins[index]);
    auto opened = open(*plugin);
    if (!opened) {
      return fail_start(ExitCode::kConfig,
                        fmt::format("plugin \"{}\": {}", plugin->options.name, opened.error()));
    }
    plugin->current = *std::move(opened);
    app_.mount(plugin->options.name, plugin->current->take_routes());
    plugins_.push_back(std::move(plugin));
  }
  return {};
}

StartupResult<void> Manager::start() {
  environment_.open();
  for (const auto& plugin : plugins_) {
    if (const auto started = plugin->current->start(); !started) {
      return fail_start(ExitCode::kConfig,
                        fmt::format("plugin \"{}\": {}", plugin->options.name, started.error()));
    }
    plugin->current->enter_loops([this, name = plugin->options.name](const Outcome<>& entered) {
      if (entered) return;
      SSX_LOG_ERROR("plugin \"{}\": {}; ending", name, entered.error());
      app_.stop();
    });
    SSX_LOG_INFO("plugin {}: {}", plugin->current->title(), plugin->current->file().path());
  }
  if (std::ranges::any_of(plugins_, [](const auto& plugin) {
        return plugin->options.reload == PluginReload::kWatch;
      })) {
    net::EventLoop& loop = app_.loop();
    loop.assert_in_loop_thread();
    watch_ = loop.run_every(kWatchEvery, [this] { look_at_files(); });
  }
  return {};
}

Manager::Plugin* Manager::find(std::string_view name) noexcept {
  const auto found = std::ranges::find_if(
      plugins_, [name](const auto& plugin) { return plugin->options.name == name; });
  return found == plugins_.end() ? nullptr : found->get();
}

Expected<std::unique_ptr<Generation>, std::string> Manager::open(Plugin& plugin) {
  const PluginFile::Checks checks{options_.needs, options_.search_path, plugin.options.sha256};
  return Generation::open(environment_, plugin.options, checks, ++plugin.generations);
}

// ---- a reload

void Manager::reload(std::string_view name, Then then) {
  const auto refuse = [&then](std::string sentence) {
    then(UnexpectedOf<std::string>(std::move(sentence)));
  };
  Plugin* const plugin = find(name);
  if (plugin == nullptr) return refuse(fmt::format("there is no plugin \"{}\"", name));
  if (is_stopped_) return refuse("the daemon ends");
  if (plugin->options.reload == PluginReload::kOff) return refuse("its \"reload\" is \"off\"");
  if (plugin->next != nullptr) return refuse("it is being reloaded already");
  if (!plugin->current->file().description().has(SSXRVER_PLUGIN_RELOADABLE)) {
    return refuse("it says that it cannot be reloaded");
  }
  auto opened = open(*plugin);
  if (!opened) return give_up(*plugin, std::move(opened).error(), std::move(then));
  plugin->next = *std::move(opened);
  if (auto taken = plugin->next->take_state_of(*plugin->current); !taken)
    return give_up(*plugin, std::move(taken).error(), std::move(then));
  if (auto started = plugin->next->start(); !started)
    return give_up(*plugin, std::move(started).error(), std::move(then));
  plugin->next->enter_loops(
      [this, plugin, then = std::move(then)](const Outcome<>& entered) mutable {
        on_entered(*plugin, entered, std::move(then));
      });
}

void Manager::on_entered(Plugin& plugin, const Outcome<>& entered, Then then) {
  if (!entered) return give_up(plugin, entered.error(), std::move(then));
  app_.replace(plugin.options.name, plugin.next->take_routes(),
               [this, &plugin, then = std::move(then)](const RoutesResult& replaced) mutable {
                 on_replaced(plugin, replaced, std::move(then));
               });
}

void Manager::on_replaced(Plugin& plugin, const RoutesResult& replaced, Then then) {
  if (!replaced) return give_up(plugin, replaced.error().text(), std::move(then));
  SSX_LOG_INFO("plugin {}: serves in place of {}", plugin.next->title(), plugin.current->title());
  retire(std::exchange(plugin.current, std::move(plugin.next)), plugin.options.drain_timeout);
  then(Outcome<>());
}

void Manager::give_up(Plugin& plugin, std::string why, Then then) {
  SSX_LOG_ERROR("plugin {} serves on: {}", plugin.current->title(), why);
  if (plugin.next != nullptr) {
    (void)plugin.next->take_routes();  // nobody else will
    retire(std::move(plugin.next), Duration::zero());
  }
  then(UnexpectedOf<std::string>(std::move(why)));
}

// ---- generations that have been replaced

void Manager::retire(std::unique_ptr<Generation> generation, Duration time) {
  generation->instance().drain(time);
  retired_.push_back({std::move(generation), app_.loop().now() + time});
  if (std::exchange(is_looking_, true)) return;
  net::EventLoop& loop = app_.loop();
  loop.assert_in_loop_thread();
  look_ = loop.run_every(kLookEvery, [this] { look_at_retired(); });
}

void Manager::look_at_retired() {
  for (auto retired = retired_.begin(); retired != retired_.end(); ++retired) look_at(retired);
  if (!retired_.empty()) return;
  net::EventLoop& loop = app_.loop();
  loop.assert_in_loop_thread();
  loop.cancel(look_);
  is_looking_ = false;
}

void Manager::look_at(std::list<Retired>::iterator retired) {
  if (retired->is_leaving) return;
  Generation& generation = *retired->generation;
  if (generation.instance().leases().total() > 0) {
    if (retired->was_reported || app_.loop().now() < retired->deadline) return;
    retired->was_reported = true;
    SSX_LOG_WARN("plugin {} stays loaded: {}", generation.title(),
                 generation.instance().leases().to_string());
    return;
  }
  retired->is_leaving = true;
  generation.leave_loops([this, retired] {
    SSX_LOG_INFO("plugin {} is gone", retired->generation->title());
    retired_.erase(retired);
  });
}

// ---- newer files

void Manager::look_at_files() {
  for (const auto& plugin : plugins_) {
    if (plugin->options.reload == PluginReload::kWatch) look_at_file(*plugin);
  }
}

// A file that is being written changes from look to look: it is opened when it has kept still.
void Manager::look_at_file(Plugin& plugin) {
  const auto found = sys::stat(plugin.current->file().path().c_str());
  if (!found) return;  // it is being replaced
  const std::int64_t changed =
      found->st_mtim.tv_sec * std::int64_t{1'000'000'000} + found->st_mtim.tv_nsec;
  const bool is_still = std::exchange(plugin.seen_change, changed) == changed;
  if (plugin.tried_change == 0) plugin.tried_change = changed;
  if (!is_still || plugin.tried_change == changed || plugin.next != nullptr) return;
  plugin.tried_change = changed;
  reload(plugin.options.name, [](const Outcome<>&) {});
}

// ---- the end

void Manager::drain(Duration time) {
  for (const auto& plugin : plugins_ | std::views::reverse) plugin->current->instance().drain(time);
}

void Manager::stop() {
  is_stopped_ = true;
  const auto end = [](const std::unique_ptr<Generation>& generation) {
    if (generation == nullptr) return;
    generation->leave_ended_loops();
    generation->stop();
  };
  for (const Retired& retired : retired_) end(retired.generation);
  for (const auto& plugin : plugins_ | std::views::reverse) {
    end(plugin->next);
    end(plugin->current);
  }
}

std::vector<std::string> Manager::status() const {
  std::vector<std::string> lines;
  const auto add = [&lines](Generation& generation) {
    const std::string held = generation.instance().leases().to_string();
    lines.push_back(generation.title() + ": " + (held.empty() ? "nothing holds it" : held));
  };
  for (const auto& plugin : plugins_) add(*plugin->current);
  for (const Retired& retired : retired_) add(*retired.generation);
  return lines;
}

}  // namespace ssx::plugins
