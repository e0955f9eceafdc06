#include "ssxrver/daemon/plugin_checks.h"

#include <fmt/format.h>

#include <algorithm>

#include "ssxrver/plugin/file/start_order.h"
#include "ssxrver/plugin/toolchain.h"

namespace ssx {
namespace {

std::string below(const std::string& folder, const std::string& path) {
  if (folder.empty() || path.starts_with('/')) return path;
  return folder + "/" + path;
}

std::vector<std::string> check_plugin(const ServerConfig& config, std::size_t index) {
  const PluginOptions& plugin = config.plugins[index];
  const std::string& folder = config.daemon.working_directory;
  const bool is_path = plugin.file().find('/') != std::string::npos;
  const std::string library = is_path ? below(folder, plugin.file()) : plugin.file();
  const auto file = PluginFile::open(library, plugin_checks_of(config, plugin, folder));
  if (!file) return {fmt::format("plugin \"{}\": {}", plugin.name, file.error())};
  std::vector<std::string> sentences;
  const auto& schema = (*file)->schema();
  if (!schema) return sentences;
  for (const json::Violation& one : schema->check(plugin.config)) {
    const std::string place = config.place(one.origin);
    sentences.push_back(fmt::format("{}{}/plugins/{}/config{}: {}", place,
                                    place.empty() ? "" : ": ", index, one.pointer, one.text));
  }
  return sentences;
}

}  // namespace

PluginNeeds plugin_needs() {
  return {{"ssxrver.http", "ssxrver.websocket", "ssxrver.loop", "ssxrver.db"}, SSXRVER_TOOLCHAIN};
}

PluginFile::Checks plugin_checks_of(const ServerConfig& config, const PluginOptions& plugin,
                                    const std::string& folder) {
  PluginFile::Checks checks{plugin_needs(), {}, plugin.sha256};
  for (const std::string& path : config.plugin_defaults.search_path) {
    checks.search_path.push_back(below(folder, path));
  }
  return checks;
}

std::vector<std::string> object_to_config(const PluginFile& file, const json::Value& config,
                                          const std::string& prefix) {
  std::vector<std::string> sentences;
  if (!file.schema()) return sentences;
  for (const json::Violation& one : file.schema()->check(config)) {
    sentences.push_back(fmt::format("{}{}: {}", prefix, one.pointer, one.text));
  }
  return sentences;
}

bool has_plugins(const ServerConfig& config) {
  return std::ranges::any_of(config.plugins, &PluginOptions::enabled);
}

StartupResult<void> check_plugins(const ServerConfig& config) {
  const auto order = plugin_start_order(config.plugins);
  if (!order) {
    return fail_start(ExitCode::kConfig,
                      "plugins: \"depends\" leads in a circle: " + order.error().text);
  }
  std::vector<std::string> sentences;
  for (const std::size_t index : *order) {
    for (std::string& sentence : check_plugin(config, index)) {
      sentences.push_back(std::move(sentence));
    }
  }
  if (sentences.empty()) return {};
  return UnexpectedOf<StartupError>(StartupError(ExitCode::kConfig, std::move(sentences)));
}

}  // namespace ssx
