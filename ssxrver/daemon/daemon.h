// The daemon: an App made of a configuration, with what a process needs around it.
//
// Thread: the main thread
// Owner:  main
// Life:   create() binds, so that every error is told on the terminal; run() returns at the end
// Bounds: ServerConfig
//
// TERM, INT: end soon.  QUIT: answer what is under way, bounded by shutdown_timeout, then end.
// USR1: reopen the logs.  RTMIN: read a plugin's configuration and load it again.  HUP, USR2:
// refused with one log line.  All through signalfd.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ssxrver/app/app.h"
#include "ssxrver/base/startup_error.h"
#include "ssxrver/config/server_config.h"
#include "ssxrver/daemon/open_databases.h"
#include "ssxrver/daemon/pid_file.h"
#include "ssxrver/daemon/plugin_rules.h"
#include "ssxrver/log/logger.h"
#include "ssxrver/metrics/registry.h"
#include "ssxrver/net/udp_server.h"
#include "ssxrver/plugin/manager/manager.h"

namespace ssx {

/// What a ServerConfig was loaded from, to load it again.
struct ConfigSource {
  std::string path;
  std::vector<std::string> overrides;
};

class Daemon {
 public:
  static StartupResult<std::unique_ptr<Daemon>> create(ServerConfig config, ConfigSource source);
  ~Daemon();

  /// An exit status. Prints a sentence when it fails.
  [[nodiscard]] int run(bool quiet);

 private:
  Daemon(ServerConfig config, ConfigSource source);

  StartupResult<void> build_app(plugins::PluginFiles files);
  StartupResult<void> use_compression();
  StartupResult<void> load_plugins(plugins::PluginFiles files);
  StartupResult<void> leave_terminal();
  StartupResult<void> open_databases();
  StartupResult<void> start_access_log();
  StartupResult<void> start_udp();
  void attach_counters();
  void announce(bool quiet) const;
  void on_signal(int signal, int value);
  void reload_plugins(int value);
  [[nodiscard]] Expected<PluginOptions, std::string> reread_plugin(std::string_view name) const;
  void drain(Duration idle_grace, Duration timeout);

  ServerConfig config_;
  const ConfigSource source_;
  metrics::Registry metrics_;  ///< of the App, of plugins, and what is in counted_
  std::unique_ptr<log::Logger> logger_;
  std::unique_ptr<plugins::Manager> plugins_;  ///< its code is in handlers of the App's
  std::unique_ptr<App> app_;
  std::optional<PluginRules> rules_;
  OpenDatabases databases_;  ///< on the App's task threads
  std::unique_ptr<net::UdpServer> udp_;
  std::vector<metrics::Registry::Registration> counted_;
  std::optional<PidFile> pid_file_;
  int stops_ = 0;
};

}  // namespace ssx
