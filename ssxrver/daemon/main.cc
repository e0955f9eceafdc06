#include <utility>

#include "ssxrver/app/app.h"
#include "ssxrver/config/server_config.h"
#include "ssxrver/daemon/command_line.h"
#include "ssxrver/daemon/daemon.h"
#include "ssxrver/daemon/one_shot.h"

int main(int argc, char** argv) {
  const auto command = ssx::CommandLine::parse(argc, argv);
  if (!command) return ssx::report(command.error());
  if (ssx::is_one_shot(*command)) return ssx::run_one_shot(*command);
  auto config = ssx::ServerConfig::load(command->config_path(), command->overrides());
  if (!config) return ssx::report(config.error());
  auto daemon =
      ssx::Daemon::create(*std::move(config), {command->config_path(), command->overrides()});
  if (!daemon) return ssx::report(daemon.error());
  return (*daemon)->run(command->is_quiet());
}
