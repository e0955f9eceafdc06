// All plugins of a daemon: loads them in order, starts them, replaces one while it serves, and ends
// them.
//
// Thread: the control thread; nothing here is called on a worker's loop
// Owner:  the daemon
// Life:   load() .. App::bind() .. start() .. App::serve() .. stop() .. destruction, behind that of
//         the App
// Bounds: PluginOptions::kPluginsMax plugins; one reload of each at a time, for which kAskedMax may
//         wait; generations_max of each in memory
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "ssxrver/app/app.h"
#include "ssxrver/base/clock.h"
#include "ssxrver/base/startup_error.h"
#include "ssxrver/base/unique_function.h"
#include "ssxrver/net/event_loop.h"
#include "ssxrver/plugin/manager/file_watch.h"
#include "ssxrver/plugin/manager/generation.h"
#include "ssxrver/plugin/manager/reload.h"
#include "ssxrver/plugin/manager/retirement.h"

namespace ssx::plugins {

/// By the names of their plugins.
using PluginFiles = std::map<std::string, std::unique_ptr<PluginFile>, std::less<>>;

struct ManagerOptions {
  std::vector<PluginOptions> plugins;    ///< in the order of the configuration
  PluginNeeds needs;                     ///< what this host has
  std::vector<std::string> search_path;  ///< for names without a '/'
  /// Of each plugin, how many may be in memory: the one that serves, and those before it that
  /// something still holds or whose library cannot be unloaded.
  std::size_t generations_max = PluginDefaults().generations_max;
  /// What the configuration says of a plugin by now, or why that cannot be told; empty: what it
  /// said at the start. Asked at each reload.
  using Reread = std::function<Expected<PluginOptions, std::string>(std::string_view name)>;
  Reread reread = {};
};

class Manager {
 public:
  /// `then` of reload(): nothing, or why all is as it was.
  using Then = UniqueFunction<void(const Outcome<>&)>;

  /// How often it looks for newer files.
  static constexpr Duration kWatchEvery = std::chrono::milliseconds(500);
  /// Who may wait for one reload.
  static constexpr std::size_t kAskedMax = 64;

  Manager(App& app, ManagerOptions options, EnvironmentOptions environment = {});
  Manager(const Manager&) = delete;
  Manager& operator=(const Manager&) = delete;
  ~Manager();

  /// Before App::bind(): every plugin that is on, in the order in which they depend on each other,
  /// and its routes in the App. The first that cannot be is the error. `files`: libraries that are
  /// open already, so that what was looked at is what runs.
  StartupResult<void> load(PluginFiles files = {});
  /// Between App::bind() and App::serve(). Each loop is entered before its first connection; where
  /// that fails the App ends, and problem() says why.
  StartupResult<void> start();
  /// Behind App::serve(): why it could not begin, or empty.
  [[nodiscard]] const std::string& problem() const noexcept { return problem_; }

  /// On the control loop. When nothing but the plugin's `config` has changed, and the plugin can
  /// take that while it runs, it does. Else the file is opened again, and when all is well the new
  /// generation takes the place of the old one, loop by loop; what is under way ends with the old
  /// one. Else all is as it was. Whoever asks while a reload is under way is told of the next one,
  /// which follows it.
  void reload(std::string_view name, Then then);

  /// Each plugin is told that nothing new will come.
  void drain(Duration time);
  /// Behind App::serve().
  void stop();

  /// For people: one line for each generation, "notes 1.0.0, generation 2: 1 socket".
  [[nodiscard]] std::vector<std::string> status() const;
  /// Replaced, and not yet gone.
  [[nodiscard]] std::size_t retired_count() const noexcept { return retirement_.leaving(); }

 private:
  struct Plugin {
    explicit Plugin(PluginOptions given) : options(std::move(given)) {}
    PluginOptions options;  ///< of `current`
    std::unique_ptr<Generation> current;
    std::unique_ptr<Reload> reload;  ///< under way
    std::vector<Then> asked;         ///< who is told of it
    std::vector<Then> asked_next;    ///< who has come since
    std::uint64_t generations = 0;
    FileWatch watch;
  };

  [[nodiscard]] Plugin* find(std::string_view name) noexcept;
  [[nodiscard]] PluginFile::Checks checks_of(const PluginOptions& plugin) const;
  StartupResult<void> load_one(const PluginOptions& options, std::unique_ptr<PluginFile> file);
  void enter_first(net::Worker& worker);
  void on_problem(const std::string& sentence);

  void begin_reload(Plugin& plugin);
  [[nodiscard]] Expected<PluginOptions, std::string> reread(const Plugin& plugin) const;
  [[nodiscard]] Outcome<bool> change_config(Plugin& plugin, const PluginOptions& wanted);
  [[nodiscard]] std::string object_to_generation(const Plugin& plugin) const;
  void on_reloaded(Plugin& plugin, const Outcome<>& outcome);
  void tell(Plugin& plugin, const Outcome<>& outcome);
  void refuse(Plugin& plugin, std::string why);

  /// From now on, if one of them wants that.
  void watch_files();
  void look_at_files();
  void look_at_file(Plugin& plugin);

  App& app_;
  const ManagerOptions options_;
  Environment environment_;
  std::vector<std::unique_ptr<Plugin>> plugins_;  ///< in the order of their start
  Retirement retirement_{app_};
  net::TimerId watch_{};
  bool is_watching_ = false;
  std::string problem_;
  bool is_ending_ = false;
};

}  // namespace ssx::plugins
