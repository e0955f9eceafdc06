#include "ssxrver/daemon/command_line.h"

#include <fmt/format.h>

#include <array>
#include <optional>
#include <string_view>
#include <utility>

#include "ssxrver/cli/cli.h"
#include "ssxrver/json/json.h"

namespace ssx {
namespace {

using Action = CommandLine::Action;
using Signal = CommandLine::Signal;

constexpr const char* kFooter =
    "Signals: TERM and INT stop, QUIT lets exchanges end and stops, USR1 reopens the logs.\n"
    "Exit codes are those of sysexits.h: 64 command line, 78 configuration.\n"
    "Every key of the configuration: docs/reference/config.md";

/// What the options were given as.
struct Given {
  std::string config_path;
  bool test = false;
  bool print = false;
  bool quiet = false;
  bool version = false;
  bool build_facts = false;
  bool daemonize = false;
  std::optional<std::string> pid_file;
  std::vector<std::string> signal;  ///< its name, and what it is about
  std::vector<std::string> settings;
  std::optional<Action> plugin_action;
  std::string plugin;
  std::string plugin_option;
};

void describe_plugin(CLI::App& app, Given& given) {
  CLI::App* const plugin = app.add_subcommand("plugin", "Look at plugins, and begin new ones");
  plugin->require_subcommand(1);
  const auto add = [&](const char* name, const char* what, const char* subject, Action action) {
    CLI::App* const one = plugin->add_subcommand(name, what);
    one->add_option(subject, given.plugin, "")->required()->type_name("");
    one->callback([&given, action] { given.plugin_action = action; });
    return one;
  };
  add("info", "Print what a plugin says of itself", "FILE", Action::kPluginInfo);
  add("check", "Load a plugin, check all of it, and let it go", "FILE", Action::kPluginCheck)
      ->add_option("--config", given.plugin_option, "Its \"config\", compared with its schema")
      ->type_name("JSON");
  add("new", "Write a project for a new plugin, ready to build", "NAME", Action::kPluginNew)
      ->add_option("--directory", given.plugin_option, "The folder to make (./NAME)")
      ->type_name("FOLDER");
}

void describe(CLI::App& app, Given& given) {
  app.set_help_flag("-h,--help", "Print this and exit");
  app.add_option("-f", given.config_path, "Configuration file (./conf/ssxrver.json)")
      ->type_name("FILE");
  app.add_flag("-t", given.test, "Test the configuration and exit");
  app.add_flag("-T", given.print, "Test it and print what is in force, as JSON");
  app.add_flag("-q", given.quiet, "Print nothing but problems");
  app.add_flag("-v", given.version, "Print the version and exit");
  app.add_flag("-V", given.build_facts, "Print the version and how it was built");
  app.add_option("-s", given.signal,
                 "Tell the running daemon: stop, quit, reopen, reload-plugin NAME")
      ->type_name("SIGNAL")
      ->expected(1, 2);
  app.add_option("-g", given.settings, "Set a key: -g http.timeouts.idle=30s (may be repeated)")
      ->type_name("KEY=VALUE")
      ->allow_extra_args(false);
  app.add_flag("-d", given.daemonize, "Leave the terminal (daemon.daemonize)");
  app.add_option("-p", given.pid_file, "Pid file (daemon.pid_file)")->type_name("FILE");
  describe_plugin(app, given);
}

UnexpectedOf<StartupError> refuse(const std::string& sentence) {
  return fail_start(ExitCode::kUsage,
                    "ssxrver: " + sentence + " (ssxrver --help lists the options)");
}

StartupResult<Signal> read_signal(const std::vector<std::string>& words) {
  static constexpr std::array<std::pair<std::string_view, Signal>, 4> kSignals{
      {{"stop", Signal::kStop},
       {"quit", Signal::kQuit},
       {"reopen", Signal::kReopen},
       {"reload-plugin", Signal::kReloadPlugin}}};
  const std::string& name = words.front();
  for (const auto& [known, signal] : kSignals) {
    if (name != known) continue;
    const bool has_name = words.size() == 2;
    if (has_name == (signal == Signal::kReloadPlugin)) return signal;
    if (has_name) return refuse(fmt::format("-s {} takes no \"{}\"", name, words.back()));
    return refuse("-s reload-plugin needs the name of a plugin");
  }
  if (name == "reload" || name == "upgrade") {
    return refuse(fmt::format("-s {} is not in this build: -s quit, then start again", name));
  }
  return refuse(fmt::format("-s \"{}\": expected stop, quit, reopen or reload-plugin", name));
}

bool has_two_actions(const Given& given) {
  const int actions = int{given.test || given.print} + int{given.version} + int{given.build_facts} +
                      int{!given.signal.empty()} + int{given.plugin_action.has_value()};
  return actions > 1;
}

Action action_of(const Given& given) {
  if (given.plugin_action) return *given.plugin_action;
  if (given.build_facts) return Action::kBuildFacts;
  if (given.version) return Action::kVersion;
  if (!given.signal.empty()) return Action::kSignal;
  if (given.print) return Action::kPrint;
  return given.test ? Action::kTest : Action::kRun;
}

/// "key.path=value" as the configuration takes it, -d and -p among them.
StartupResult<std::vector<std::string>> overrides_of(const Given& given) {
  std::vector<std::string> overrides;
  for (const std::string& setting : given.settings) {
    const auto equals = setting.find('=');
    if (equals == 0 || equals == setting.npos) {
      return refuse(fmt::format("-g \"{}\": expected KEY=VALUE, such as port=8080", setting));
    }
    overrides.push_back(setting);
  }
  if (overrides.size() > CommandLine::kOverridesMax) {
    return refuse(fmt::format("more than {} options -g", CommandLine::kOverridesMax));
  }
  if (given.daemonize) overrides.emplace_back("daemon.daemonize=on");
  if (given.pid_file) overrides.push_back("daemon.pid_file=" + json::quote(*given.pid_file));
  return overrides;
}

}  // namespace

StartupResult<CommandLine> CommandLine::parse(int argc, const char* const* argv) {
  CommandLine command;
  Given given;
  given.config_path = command.config_path_;
  CLI::App app("ssxrver: serves HTTP from one configuration file.", "ssxrver");
  app.footer(kFooter);
  describe(app, given);
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    command.action_ = Action::kHelp;
    command.help_ = app.help();
    return command;
  } catch (const CLI::ParseError& error) {
    return refuse(error.what());
  }
  if (has_two_actions(given)) return refuse("-t, -v, -V, -s and plugin do not go together");
  if (!given.signal.empty()) {
    const auto signal = read_signal(given.signal);
    if (!signal) return UnexpectedOf<StartupError>(signal.error());
    command.signal_ = *signal;
    if (given.signal.size() == 2) command.reloaded_plugin_ = given.signal.back();
  }
  auto overrides = overrides_of(given);
  if (!overrides) return UnexpectedOf<StartupError>(overrides.error());
  command.overrides_ = *std::move(overrides);
  command.action_ = action_of(given);
  command.config_path_ = given.config_path;
  command.is_quiet_ = given.quiet;
  command.plugin_ = given.plugin;
  command.plugin_option_ = given.plugin_option;
  return command;
}

}  // namespace ssx
