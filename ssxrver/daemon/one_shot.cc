#include "ssxrver/daemon/one_shot.h"

#include <fmt/core.h>

#include <cstdio>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <utility>

#include "ssxrver/app/app.h"
#include "ssxrver/base/build_info.h"
#include "ssxrver/config/server_config.h"
#include "ssxrver/daemon/database_checks.h"
#include "ssxrver/daemon/pid_file.h"
#include "ssxrver/daemon/plugin_checks.h"
#include "ssxrver/daemon/plugin_reload.h"
#include "ssxrver/daemon/plugin_tool.h"
#include "ssxrver/sys/process.h"

namespace ssx {
namespace {

int print_version() {
  fmt::print(stdout, "ssxrver/{}\n", build_info().version);
  return 0;
}

int print_build_facts() {
  const BuildInfo& info = build_info();
  fmt::print(stdout, "ssxrver/{}\nrevision: {}\ncompiler: {}\nbuild type: {}\nsanitizers: {}\n",
             info.version, info.revision, info.compiler, info.type,
             info.flags.empty() ? "none" : info.flags);
  return 0;
}

int test_config(const CommandLine& line) {
  const auto config = ServerConfig::load(line.config_path(), line.overrides());
  if (!config) return report(config.error());
  for (const auto& warning : config->warnings) fmt::print(stderr, "warning: {}\n", warning);
  if (const auto plugins = check_plugins(*config); !plugins) return report(plugins.error());
  if (const auto files = check_databases(*config); !files) return report(files.error());
  if (!line.is_quiet()) fmt::print(stdout, "the configuration {} is good\n", line.config_path());
  return 0;
}

int dump_config(const CommandLine& line) {
  const auto config = ServerConfig::load(line.config_path(), line.overrides());
  if (!config) return report(config.error());
  if (const auto plugins = check_plugins(*config); !plugins) return report(plugins.error());
  if (const auto files = check_databases(*config); !files) return report(files.error());
  fmt::print(stdout, "{}\n", config->to_json());
  return 0;
}

int number_of(CommandLine::Signal signal) noexcept {
  switch (signal) {
    case CommandLine::Signal::kStop:
      return SIGTERM;
    case CommandLine::Signal::kQuit:
      return SIGQUIT;
    case CommandLine::Signal::kReopen:
      return SIGUSR1;
    case CommandLine::Signal::kReloadPlugin:
      break;
  }
  return reload_signal();
}

int signal_daemon(const CommandLine& line) {
  auto config = ServerConfig::load(line.config_path(), line.overrides());
  if (!config) return report(config.error());
  const std::string& path = config->daemon.pid_file;
  if (path.empty()) {
    return report(
        {ExitCode::kUsage,
         fmt::format("-s needs to know the pid file: set daemon.pid_file in {}, or give it with -p",
                     line.config_path())});
  }
  const auto process = PidFile::read_owner(path);
  if (!process) return report(process.error());
  const bool is_reload = line.signal() == CommandLine::Signal::kReloadPlugin;
  const std::string& plugin = line.reloaded_plugin();
  if (is_reload && std::ranges::none_of(config->plugins, [&plugin](const PluginOptions& known) {
        return known.enabled && known.name == plugin;
      })) {
    return report(
        {ExitCode::kUsage, fmt::format("-s reload-plugin: {} has no plugin \"{}\" that is on",
                                       line.config_path(), plugin)});
  }
  const int number = number_of(line.signal());
  const int value = is_reload ? reload_value(plugin) : 0;
  const auto sent =
      is_reload ? sys::queue_signal(*process, number, value) : sys::kill(*process, number);
  if (!sent) {
    return report({sent.error().is_errno(EPERM) ? ExitCode::kNoPermission : ExitCode::kUnavailable,
                   fmt::format("process {}: {}", *process, sent.error().code().message())});
  }
  return 0;
}

int print(const StartupResult<std::string>& text) {
  if (!text) return report(text.error());
  fmt::print(stdout, "{}", *text);
  return 0;
}

}  // namespace

bool is_one_shot(const CommandLine& line) noexcept {
  return line.action() != CommandLine::Action::kRun;
}

int run_one_shot(const CommandLine& line) {
  switch (line.action()) {
    case CommandLine::Action::kTest:
      return test_config(line);
    case CommandLine::Action::kPrint:
      return dump_config(line);
    case CommandLine::Action::kSignal:
      return signal_daemon(line);
    case CommandLine::Action::kVersion:
      return print_version();
    case CommandLine::Action::kBuildFacts:
      return print_build_facts();
    case CommandLine::Action::kHelp:
      fmt::print(stdout, "{}", line.help());
      return 0;
    case CommandLine::Action::kPluginInfo:
      return print(plugin_info(line.plugin()));
    case CommandLine::Action::kPluginCheck:
      return print(check_plugin_file(line.plugin(), line.plugin_option()));
    case CommandLine::Action::kPluginNew:
      return print(new_plugin(line.plugin(), line.plugin_option()));
    case CommandLine::Action::kRun:
      break;
  }
  return 0;
}

}  // namespace ssx
