#include "ssxrver/plugin/manager/manager.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <ranges>
#include <utility>

#include "ssxrver/base/log.h"
#include "ssxrver/net/worker.h"
#include "ssxrver/plugin/file/start_order.h"
#include "ssxrver/sys/file.h"

namespace ssx::plugins {
namespace {

UnexpectedOf<std::string> refusal(std::string why) {
  return UnexpectedOf<std::string>(std::move(why));
}

/// Whether nothing differs that only a new instance could take.
bool differ_in_config_alone(const PluginOptions& was, const PluginOptions& wanted) {
  PluginOptions same = was;
  same.config = wanted.config;
  same.reload = wanted.reload;
  same.drain_timeout = wanted.drain_timeout;
  return same == wanted && was.config != wanted.config;
}

}  // namespace

Manager::Manager(App& app, ManagerOptions options, EnvironmentOptions environment)
    : app_(app), options_(std::move(options)), environment_(app, std::move(environment)) {}

// Those that depend on others go before them.
Manager::~Manager() {
  while (!plugins_.empty()) plugins_.pop_back();
}

Manager::Plugin* Manager::find(std::string_view name) noexcept {
  const auto found = std::ranges::find_if(
      plugins_, [name](const auto& plugin) { return plugin->options.name == name; });
  return found == plugins_.end() ? nullptr : found->get();
}

PluginFile::Checks Manager::checks_of(const PluginOptions& plugin) const {
  return {options_.needs, options_.search_path, plugin.sha256};
}

// ---- the start

StartupResult<void> Manager::load(PluginFiles files) {
  const auto order = plugin_start_order(options_.plugins);
  if (!order) {
    return fail_start(ExitCode::kConfig,
                      "plugins: \"depends\" leads in a circle: " + order.error().text);
  }
  for (const std::size_t index : *order) {
    const PluginOptions& options = options_.plugins[index];
    const auto file = files.find(options.name);
    auto loaded = load_one(options, file == files.end() ? nullptr : std::move(file->second));
    if (!loaded) return loaded;
  }
  app_.on_worker_start([this](net::Worker& worker) { enter_first(worker); });
  return {};
}

StartupResult<void> Manager::load_one(const PluginOptions& options,
                                      std::unique_ptr<PluginFile> file) {
  auto plugin = std::make_unique<Plugin>(options);
  const std::uint64_t number = ++plugin->generations;
  auto made = file == nullptr ? Generation::open(environment_, options, checks_of(options), number)
                              : Generation::make(environment_, options, std::move(file), number);
  if (!made) {
    return fail_start(ExitCode::kConfig,
                      fmt::format("plugin \"{}\": {}", options.name, made.error()));
  }
  plugin->current = *std::move(made);
  plugin->watch.know(plugin->current->file().stamp());
  app_.mount(options.name, plugin->current->take_routes());
  plugins_.push_back(std::move(plugin));
  return {};
}

StartupResult<void> Manager::start() {
  environment_.open();
  for (const auto& plugin : plugins_) {
    if (const auto started = plugin->current->start(); !started) {
      return fail_start(ExitCode::kConfig, started.error());
    }
    SSX_LOG_INFO("plugin {}: {}", plugin->current->title(), plugin->current->file().path());
  }
  watch_files();
  return {};
}

// On that loop, before it turns: one that does not come to turn serves nobody.
void Manager::enter_first(net::Worker& worker) {
  for (const auto& plugin : plugins_) {
    const auto entered = plugin->current->enter_loop(worker.index());
    if (entered) continue;
    worker.loop().stop();
    app_.loop().post([this, sentence = entered.error()] { on_problem(sentence); });
    return;
  }
}

void Manager::on_problem(const std::string& sentence) {
  if (problem_.empty()) problem_ = sentence;
  app_.stop();
}

// ---- a reload

void Manager::reload(std::string_view name, Then then) {
  const auto turn_away = [name, &then](const char* why) {
    SSX_LOG_WARN("plugin {} is not reloaded: {}", name, why);
    if (then) then(refusal(why));
  };
  Plugin* const plugin = find(name);
  if (plugin == nullptr) return turn_away("there is none of that name");
  if (is_ending_) return turn_away("the daemon ends");
  auto& asked = plugin->reload == nullptr ? plugin->asked : plugin->asked_next;
  if (asked.size() == kAskedMax) return turn_away("so many wait for that already");
  asked.push_back(std::move(then));
  if (plugin->reload == nullptr) begin_reload(*plugin);
}

void Manager::begin_reload(Plugin& plugin) {
  if (is_ending_) return refuse(plugin, "the daemon ends");
  auto wanted = reread(plugin);
  if (!wanted) return refuse(plugin, std::move(wanted).error());
  if (wanted->reload == PluginReload::kOff) return refuse(plugin, "its \"reload\" is \"off\"");
  if (differ_in_config_alone(plugin.options, *wanted)) {
    const auto changed = change_config(plugin, *wanted);
    if (!changed) return refuse(plugin, changed.error());
    if (*changed) return tell(plugin, {});
  }
  if (auto why = object_to_generation(plugin); !why.empty()) return refuse(plugin, std::move(why));
  auto checks = checks_of(*wanted);
  plugin.reload = std::make_unique<Reload>(
      environment_, *plugin.current,
      ReloadPlan{*std::move(wanted), std::move(checks), ++plugin.generations},
      [this, &plugin](const Outcome<>& outcome) { on_reloaded(plugin, outcome); });
  plugin.reload->begin();
}

Expected<PluginOptions, std::string> Manager::reread(const Plugin& plugin) const {
  return options_.reread ? options_.reread(plugin.options.name) : plugin.options;
}

// True: the instance that serves has it. False: it takes a new one to have it.
Outcome<bool> Manager::change_config(Plugin& plugin, const PluginOptions& wanted) {
  Generation& current = *plugin.current;
  const auto hash = PluginFile::read_sha256(wanted.file(), checks_of(wanted));
  if (!hash) return refusal(hash.error());
  if (*hash != current.file().sha256()) return false;
  if (auto why = current.object_to(wanted.config); !why.empty()) return refusal(std::move(why));
  auto prepared = current.instance().prepare_config(wanted.config);
  if (!prepared || !*prepared) return prepared;
  current.instance().commit_config();
  plugin.options = wanted;
  watch_files();
  SSX_LOG_INFO("plugin {} has its new config", current.title());
  return true;
}

std::string Manager::object_to_generation(const Plugin& plugin) const {
  if (!plugin.current->file().description().has(SSXRVER_PLUGIN_RELOADABLE)) {
    return "it says that it cannot be reloaded";
  }
  const std::size_t in_memory = 1 + retirement_.count(plugin.options.name);
  if (in_memory < options_.generations_max) return {};
  return fmt::format("{} generations of it are in memory, plugin_defaults.generations_max: {}",
                     in_memory, fmt::join(retirement_.status(plugin.options.name), "; "));
}

void Manager::on_reloaded(Plugin& plugin, const Outcome<>& outcome) {
  const auto ended = std::move(plugin.reload);  // it has called this
  auto next = ended->take_next();
  if (!outcome) {
    retirement_.take(std::move(next), Duration::zero());
    return refuse(plugin, outcome.error());
  }
  SSX_LOG_INFO("plugin {}: serves in place of {}", next->title(), plugin.current->title());
  plugin.options = ended->options();
  plugin.watch.know(next->file().stamp());
  watch_files();
  auto old = std::exchange(plugin.current, std::move(next));
  old->instance().drain(plugin.options.drain_timeout);
  retirement_.take(std::move(old), plugin.options.drain_timeout);
  tell(plugin, {});
}

void Manager::refuse(Plugin& plugin, std::string why) {
  SSX_LOG_ERROR("plugin {} serves on: {}", plugin.current->title(), why);
  tell(plugin, refusal(std::move(why)));
}

void Manager::tell(Plugin& plugin, const Outcome<>& outcome) {
  auto told = std::exchange(plugin.asked, std::exchange(plugin.asked_next, {}));
  for (Then& then : told) {
    if (then) then(outcome);
  }
  if (!plugin.asked.empty() && plugin.reload == nullptr) begin_reload(plugin);
}

// ---- newer files

void Manager::watch_files() {
  const bool wanted = std::ranges::any_of(
      plugins_, [](const auto& plugin) { return plugin->options.reload == PluginReload::kWatch; });
  if (!wanted || std::exchange(is_watching_, true)) return;
  net::EventLoop& loop = app_.loop();
  loop.assert_in_loop_thread();
  watch_ = loop.run_every(kWatchEvery, [this] { look_at_files(); });
}

void Manager::look_at_files() {
  for (const auto& plugin : plugins_) {
    if (plugin->options.reload == PluginReload::kWatch) look_at_file(*plugin);
  }
}

void Manager::look_at_file(Plugin& plugin) {
  const auto found = sys::stat(plugin.current->file().path().c_str());
  if (!found) return;  // it is being replaced
  const FileStamp now = FileStamp::of(*found);
  if (!plugin.watch.look(now) || plugin.reload != nullptr) return;
  plugin.watch.know(now);
  SSX_LOG_INFO("plugin {}: {} has changed", plugin.current->title(), plugin.current->file().path());
  reload(plugin.options.name, nullptr);
}

// ---- the end

void Manager::drain(Duration time) {
  is_ending_ = true;
  for (const auto& plugin : plugins_ | std::views::reverse) plugin->current->instance().drain(time);
}

void Manager::stop() {
  is_ending_ = true;
  const auto end = [](Generation* generation) {
    if (generation == nullptr) return;
    generation->drop_routes();  // of one that was to serve: they need the App
    generation->leave_ended_loops();
    generation->stop();
  };
  retirement_.end();
  for (const auto& plugin : plugins_ | std::views::reverse) {
    if (plugin->reload != nullptr) {
      plugin->reload->give_up();
      end(plugin->reload->next());
      std::ranges::move(plugin->asked_next, std::back_inserter(plugin->asked));
      plugin->asked_next.clear();
      refuse(*plugin, "the daemon ends");
    }
    end(plugin->current.get());
  }
}

std::vector<std::string> Manager::status() const {
  std::vector<std::string> lines;
  for (const auto& plugin : plugins_) {
    const std::string held = plugin->current->instance().leases().to_string();
    lines.push_back(plugin->current->title() + ": " + (held.empty() ? "nothing holds it" : held));
  }
  for (std::string& line : retirement_.status()) lines.push_back(std::move(line));
  return lines;
}

}  // namespace ssx::plugins
