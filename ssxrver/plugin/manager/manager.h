// All plugins of a daemon: loads them in order, starts them, replaces one while it serves, and ends
// them.
//
// Thread: the control thread; nothing here is called on a worker's loop
// Owner:  the daemon
// Life:   load() .. App::bind() .. start() .. App::serve() .. stop() .. destruction, behind that of
//         the App
// Bounds: PluginOptions::kPluginsMax plugins; one reload of each at a time
#pragma once

#include <cstdint>
#include <list>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "ssxrver/app/app.h"
#include "ssxrver/base/clock.h"
#include "ssxrver/base/startup_error.h"
#include "ssxrver/base/unique_function.h"
#include "ssxrver/net/event_loop.h"
#include "ssxrver/plugin/manager/generation.h"

namespace ssx::plugins {

struct ManagerOptions {
  std::vector<PluginOptions> plugins;    ///< in the order of the configuration
  PluginNeeds needs;                     ///< what this host has
  std::vector<std::string> search_path;  ///< for names without a '/'
};

class Manager {
 public:
  /// `then` of reload(): nothing, or why the old generation serves on.
  using Then = UniqueFunction<void(const Outcome<>&)>;

  /// How often it looks whether anything still holds a generation that has been replaced.
  static constexpr Duration kLookEvery = std::chrono::milliseconds(20);
  /// How often it looks for newer files.
  static constexpr Duration kWatchEvery = std::chrono::milliseconds(500);

  Manager(App& app, ManagerOptions options, EnvironmentOptions environment = {});
  Manager(const Manager&) = delete;
  Manager& operator=(const Manager&) = delete;
  ~Manager();

  /// Before App::bind(): every plugin that is on, in the order in which they depend on each other,
  /// and its routes in the App. The first that cannot be is the error.
  StartupResult<void> load();
  /// Between App::bind() and App::serve().
  StartupResult<void> start();

  /// On the control loop: opens the file again, and when all is well the new generation takes the
  /// place of the old one, loop by loop. What is under way ends with the old one, which is unloaded
  /// when nothing holds it. Else the old one serves on.
  void reload(std::string_view name, Then then);

  /// Each plugin is told that nothing new will come.
  void drain(Duration time);
  /// Behind App::serve().
  void stop();

  /// For people: one line for each generation, "notes 1.0.0, generation 2: 1 socket".
  [[nodiscard]] std::vector<std::string> status() const;
  /// Replaced, and not yet gone.
  [[nodiscard]] std::size_t retired_count() const noexcept { return retired_.size(); }

 private:
  struct Plugin {
    explicit Plugin(PluginOptions given) : options(std::move(given)) {}
    PluginOptions options;
    std::unique_ptr<Generation> current;
    std::unique_ptr<Generation> next;  ///< of a reload that is under way
    std::uint64_t generations = 0;
    std::int64_t seen_change = 0;  ///< of the file: nanoseconds
    std::int64_t tried_change = 0;
  };
  struct Retired {
    std::unique_ptr<Generation> generation;
    TimePoint deadline;
    bool was_reported = false;
    bool is_leaving = false;
  };

  [[nodiscard]] Plugin* find(std::string_view name) noexcept;
  [[nodiscard]] Expected<std::unique_ptr<Generation>, std::string> open(Plugin& plugin);
  void on_entered(Plugin& plugin, const Outcome<>& entered, Then then);
  void on_replaced(Plugin& plugin, const RoutesResult& replaced, Then then);
  void give_up(Plugin& plugin, std::string why, Then then);
  void retire(std::unique_ptr<Generation> generation, Duration time);
  void look_at_retired();
  void look_at(std::list<Retired>::iterator retired);
  void look_at_files();
  void look_at_file(Plugin& plugin);

  App& app_;
  const ManagerOptions options_;
  Environment environment_;
  std::vector<std::unique_ptr<Plugin>> plugins_;  ///< in the order of their start
  std::list<Retired> retired_;
  net::TimerId look_{};
  net::TimerId watch_{};
  bool is_looking_ = false;
  bool is_stopped_ = false;
};

}  // namespace ssx::plugins
