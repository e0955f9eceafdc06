#include "ssxrver/daemon/command_line.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ssx {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Action = CommandLine::Action;
using Signal = CommandLine::Signal;

StartupResult<CommandLine> parse(std::vector<const char*> arguments) {
  arguments.insert(arguments.begin(), "ssxrver");
  return CommandLine::parse(static_cast<int>(arguments.size()), arguments.data());
}

/// The one sentence of a refusal; "" with a failure when the line was taken.
std::string refusal(const std::vector<const char*>& arguments) {
  const auto command = parse(arguments);
  EXPECT_FALSE(command);
  if (command) return "";
  EXPECT_EQ(command.error().code(), ExitCode::kUsage);
  EXPECT_EQ(command.error().sentences().size(), 1u);
  return command.error().text();
}

TEST(CommandLine, RunsTheDefaultFileWithoutArguments) {
  const auto command = parse({});
  ASSERT_TRUE(command);
  EXPECT_EQ(command->action(), Action::kRun);
  EXPECT_EQ(command->config_path(), "./conf/ssxrver.json");
  EXPECT_THAT(command->overrides(), ElementsAre());
  EXPECT_FALSE(command->is_quiet());
}

TEST(CommandLine, TakesTheFileOf2021) {
  const auto command = parse({"-f", "/etc/ssxrver.json"});
  ASSERT_TRUE(command);
  EXPECT_EQ(command->action(), Action::kRun);
  EXPECT_EQ(command->config_path(), "/etc/ssxrver.json");
}

TEST(CommandLine, KnowsItsActions) {
  EXPECT_EQ(parse({"-t"})->action(), Action::kTest);
  EXPECT_EQ(parse({"-T"})->action(), Action::kPrint);
  EXPECT_EQ(parse({"-tT"})->action(), Action::kPrint);
  EXPECT_EQ(parse({"-v"})->action(), Action::kVersion);
  EXPECT_EQ(parse({"-V"})->action(), Action::kBuildFacts);
  EXPECT_EQ(parse({"--help"})->action(), Action::kHelp);
  EXPECT_EQ(parse({"-h"})->action(), Action::kHelp);
  EXPECT_TRUE(parse({"-t", "-q"})->is_quiet());
}

TEST(CommandLine, HelpNamesEveryOption) {
  const auto help = parse({"--help"})->help();
  for (const char* option :
       {"-f", "-t", "-T", "-q", "-v", "-V", "-s", "-g", "-d", "-p", "--help"}) {
    EXPECT_THAT(help, HasSubstr(option));
  }
}

TEST(CommandLine, KnowsItsSignals) {
  EXPECT_EQ(parse({"-s", "stop"})->action(), Action::kSignal);
  EXPECT_EQ(parse({"-s", "stop"})->signal(), Signal::kStop);
  EXPECT_EQ(parse({"-s", "quit"})->signal(), Signal::kQuit);
  EXPECT_EQ(parse({"-s", "reopen"})->signal(), Signal::kReopen);
}

TEST(CommandLine, RefusesSignalsThatAreNotInThisBuild) {
  EXPECT_EQ(refusal({"-s", "reload"}),
            "ssxrver: -s reload is not in this build: -s quit, then start again "
            "(ssxrver --help lists the options)");
  EXPECT_THAT(refusal({"-s", "upgrade"}), HasSubstr("-s upgrade is not in this build"));
  EXPECT_THAT(refusal({"-s", "hup"}), HasSubstr("-s \"hup\": expected stop, quit, reopen or "));
  EXPECT_THAT(refusal({"-s", ""}), HasSubstr("-s \"\": expected stop, quit, reopen"));
  EXPECT_THAT(refusal({"-s", "reload-plugin"}), HasSubstr("needs the name of a plugin"));
  EXPECT_THAT(refusal({"-s", "stop", "now"}), HasSubstr("-s stop takes no \"now\""));
  const auto reload = parse({"-s", "reload-plugin", "notes"});
  ASSERT_TRUE(reload);
  EXPECT_EQ(reload->signal(), Signal::kReloadPlugin);
  EXPECT_EQ(reload->reloaded_plugin(), "notes");
}

TEST(CommandLine, MakesOverridesInTheirOrder) {
  const auto command = parse({"-g", "port=8080", "-d", "-g", "log.level=DEBUG", "-p", "a \"b\".pid",
                              "-g", "blocks_ip=[\"10.0.0.0/8\", \"::1\"]", "-g", "x="});
  ASSERT_TRUE(command);
  EXPECT_THAT(command->overrides(),
              ElementsAre("port=8080", "log.level=DEBUG", "blocks_ip=[\"10.0.0.0/8\", \"::1\"]",
                          "x=", "daemon.daemonize=on", "daemon.pid_file=\"a \\\"b\\\".pid\""));
}

TEST(CommandLine, RefusesASettingWithoutKeyOrValue) {
  EXPECT_THAT(refusal({"-g", "port"}), HasSubstr("-g \"port\": expected KEY=VALUE"));
  EXPECT_THAT(refusal({"-g", "=1"}), HasSubstr("-g \"=1\": expected KEY=VALUE"));
  EXPECT_THAT(refusal({"-g"}), HasSubstr("-g"));
}

TEST(CommandLine, BoundsTheNumberOfSettings) {
  std::vector<const char*> arguments;
  for (std::size_t i = 0; i < CommandLine::kOverridesMax; ++i) {
    arguments.insert(arguments.end(), {"-g", "port=1"});
  }
  EXPECT_TRUE(parse(arguments));
  arguments.insert(arguments.end(), {"-g", "port=1"});
  EXPECT_THAT(refusal(arguments), HasSubstr("more than 256 options -g"));
}

TEST(CommandLine, RefusesWhatItDoesNotKnow) {
  EXPECT_THAT(refusal({"conf.json"}), HasSubstr("conf.json"));
  EXPECT_THAT(refusal({"-x"}), HasSubstr("-x"));
  EXPECT_THAT(refusal({"-f"}), HasSubstr("-f"));
  EXPECT_THAT(refusal({"-f", "a", "-f", "b"}), HasSubstr("-f"));
}

TEST(CommandLine, HasWhatThereIsToDoWithPlugins) {
  const auto info = parse({"plugin", "info", "a.so"});
  ASSERT_TRUE(info) << info.error().text();
  EXPECT_EQ(info->action(), Action::kPluginInfo);
  EXPECT_EQ(info->plugin(), "a.so");
  const auto check = parse({"plugin", "check", "a.so", "--config", "{}"});
  ASSERT_TRUE(check) << check.error().text();
  EXPECT_EQ(check->action(), Action::kPluginCheck);
  EXPECT_EQ(check->plugin_option(), "{}");
  const auto made = parse({"plugin", "new", "greeter", "--directory", "x"});
  ASSERT_TRUE(made) << made.error().text();
  EXPECT_EQ(made->action(), Action::kPluginNew);
  EXPECT_EQ(made->plugin(), "greeter");
  EXPECT_EQ(made->plugin_option(), "x");
  EXPECT_EQ(parse({"plugin", "new", "greeter"})->plugin_option(), "");
  EXPECT_THAT(parse({"--help"})->help(), HasSubstr("plugin"));
  EXPECT_THAT(parse({"plugin", "check", "--help"})->help(), HasSubstr("--config"));
}

TEST(CommandLine, RefusesPluginsWithoutAName) {
  for (const std::vector<const char*>& arguments : {std::vector<const char*>{"plugin"},
                                                    {"plugin", "info"},
                                                    {"plugin", "eat", "a.so"},
                                                    {"plugin", "info", "a.so", "b.so"},
                                                    {"plugin", "info", "a.so", "--config", "{}"}}) {
    EXPECT_THAT(refusal(arguments), HasSubstr("ssxrver: "));
  }
  EXPECT_THAT(refusal({"-t", "plugin", "info", "a.so"}), HasSubstr("do not go together"));
}

TEST(CommandLine, RefusesTwoActionsAtOnce) {
  for (const auto& pair : {std::pair{"-t", "-v"}, {"-T", "-V"}, {"-v", "-V"}}) {
    EXPECT_THAT(refusal({pair.first, pair.second}), HasSubstr("do not go together"));
  }
  EXPECT_THAT(refusal({"-s", "stop", "-t"}), HasSubstr("do not go together"));
}

}  // namespace
}  // namespace ssx
