// The daemon: an App made of a configuration, with what a process needs around it.
//
// Thread: the main thread
// Owner:  main
// Life:   create() binds, so that every error is told on the terminal; run() returns at the end
// Bounds: ServerConfig
//
// TERM, INT: end soon.  QUIT: answer what is under way, bounded by shutdown_timeout, then end.
// USR1: reopen the logs.  RTMIN: load a plugin again.  HUP, USR2: refused with one log line.  All
// through signalfd.
#pragma once

#include <memory>

#include "ssxrver/app/app.h"
#include "ssxrver/base/startup_error.h"
#include "ssxrver/config/server_config.h"
#include "ssxrver/daemon/open_databases.h"
#include "ssxrver/daemon/pid_file.h"
#include "ssxrver/log/logger.h"
#include "ssxrver/net/udp_server.h"
#include "ssxrver/plugin/manager/manager.h"

namespace ssx {

class Daemon {
 public:
  static StartupResult<std::unique_ptr<Daemon>> create(ServerConfig config);
  ~Daemon();

  /// An exit status. Prints a sentence when it fails.
  [[nodiscard]] int run(bool quiet);

 private:
  explicit Daemon(ServerConfig config);

  StartupResult<void> build_app();
  StartupResult<void> use_compression();
  StartupResult<void> load_plugins();
  StartupResult<void> leave_terminal();
  StartupResult<void> open_databases();
  StartupResult<void> start_access_log();
  StartupResult<void> start_udp();
  void announce(bool quiet) const;
  void on_signal(int signal, int value);
  void reload_plugins(int value);
  void drain(Duration idle_grace, Duration timeout);

  ServerConfig config_;
  std::unique_ptr<log::Logger> logger_;
  std::unique_ptr<plugins::Manager> plugins_;  ///< its code is in handlers of the App's
  std::unique_ptr<App> app_;
  OpenDatabases databases_;  ///< on the App's task threads
  std::unique_ptr<net::UdpServer> udp_;
  std::optional<PidFile> pid_file_;
  int stops_ = 0;
};

}  // namespace ssx
