// One hello several ways in one program: what the border of plugins costs is how they differ.
// border_app PORT [NAME=LIBRARY]... serves /own/hello itself, and /NAME/hello by that plugin.
#include <fmt/format.h>

#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string_view>
#include <utility>

#include "ssxrver/plugin/manager/manager.h"
#include "ssxrver/plugin/toolchain.h"
#include "ssxrver/ssxrver.h"

namespace {

using ssx::PluginOptions;
using ssx::plugins::Manager;
using ssx::plugins::ManagerOptions;

PluginOptions parse_plugin(std::string_view argument) {
  const std::size_t equals = argument.find('=');
  PluginOptions plugin;
  plugin.name = argument.substr(0, equals);
  plugin.mount = "/" + plugin.name;
  if (equals != std::string_view::npos) plugin.library = argument.substr(equals + 1);
  return plugin;
}

ssx::StartupResult<void> serve(ssx::App& app, Manager& manager) {
  if (auto loaded = manager.load(); !loaded) return loaded;
  if (auto bound = app.bind(); !bound) return bound;
  if (auto started = manager.start(); !started) return started;
  auto served = app.serve();
  manager.stop();
  return served;
}

}  // namespace

int main(int argc, char** argv) {
  ManagerOptions options;
  options.needs = {{"ssxrver.http", "ssxrver.websocket", "ssxrver.loop"}, SSXRVER_TOOLCHAIN};
  for (int i = 2; i < argc; ++i) options.plugins.push_back(parse_plugin(argv[i]));
  auto app = std::make_unique<ssx::App>();
  app->workers(1).get("/own/hello", [](const ssx::Request&) { return "Hello world!"; });
  app->listen(static_cast<std::uint16_t>(argc > 1 ? std::atoi(argv[1]) : 0));
  Manager manager(*app, std::move(options));
  const auto served = serve(*app, manager);
  if (!served) fmt::print(stderr, "border_app: {}\n", served.error().text());
  app.reset();  // with its routes, which hold the plugins
  return served ? 0 : served.error().exit_status();
}
