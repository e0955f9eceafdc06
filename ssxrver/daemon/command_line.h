// The command line: what was asked for, and what it changes in the configuration. The one door to
// the option parser: command_line.cc alone includes it.
//
// Thread: immutable once parsed
// Owner:  main
// Life:   that of main
// Bounds: kOverridesMax -g options
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "ssxrver/base/startup_error.h"

namespace ssx {

class CommandLine {
 public:
  static constexpr std::size_t kOverridesMax = 256;

  enum class Action : std::uint8_t {
    kRun,
    kTest,         ///< -t: check the configuration
    kPrint,        ///< -T: check it, and print what is in force
    kSignal,       ///< -s: tell a running daemon
    kVersion,      ///< -v
    kBuildFacts,   ///< -V
    kHelp,         ///< --help
    kPluginInfo,   ///< plugin info FILE
    kPluginCheck,  ///< plugin check FILE
    kPluginNew,    ///< plugin new NAME
  };
  enum class Signal : std::uint8_t {
    kStop,          ///< at once
    kQuit,          ///< let exchanges end first
    kReopen,        ///< reopen the log files
    kReloadPlugin,  ///< load plugin() again
  };

  /// The error has exit code EX_USAGE and says what is wrong and where to read more.
  static StartupResult<CommandLine> parse(int argc, const char* const* argv);

  [[nodiscard]] Action action() const noexcept { return action_; }
  /// Of kSignal.
  [[nodiscard]] Signal signal() const noexcept { return signal_; }
  [[nodiscard]] const std::string& config_path() const noexcept { return config_path_; }
  /// Of -s reload-plugin: its name in the configuration.
  [[nodiscard]] const std::string& reloaded_plugin() const noexcept { return reloaded_plugin_; }
  /// -g, -d and -p as ServerConfig::load takes them.
  [[nodiscard]] const std::vector<std::string>& overrides() const noexcept { return overrides_; }
  /// -q: say nothing but what is wrong.
  [[nodiscard]] bool is_quiet() const noexcept { return is_quiet_; }
  /// Of kPluginInfo and kPluginCheck: the file; of kPluginNew: the name.
  [[nodiscard]] const std::string& plugin() const noexcept { return plugin_; }
  /// Of kPluginCheck: a JSON text; of kPluginNew: the folder to make. Empty when it is not given.
  [[nodiscard]] const std::string& plugin_option() const noexcept { return plugin_option_; }
  /// Of kHelp: the text to print.
  [[nodiscard]] const std::string& help() const noexcept { return help_; }

 private:
  Action action_ = Action::kRun;
  Signal signal_ = Signal::kStop;
  std::string reloaded_plugin_;
  bool is_quiet_ = false;
  std::string config_path_ = "./conf/ssxrver.json";
  std::vector<std::string> overrides_;
  std::string plugin_;
  std::string plugin_option_;
  std::string help_;
};

}  // namespace ssx
