#include "ssxrver/daemon/plugin_checks.h"

#include <fmt/format.h>

#include <algorithm>

#include "ssxrver/plugin/toolchain.h"
#include "ssxrver/sys/file.h"

namespace ssx {
namespace {

std::string below(const std::string& folder, const std::string& path) {
  if (folder.empty() || path.starts_with('/')) return path;
  return folder + "/" + path;
}

/// Where relative paths begin once the daemon runs; empty: here, for good.
std::string folder_of(const ServerConfig& config) {
  const std::string& folder = config.daemon.working_directory;
  if (folder.empty() || folder.starts_with('/')) return folder;
  const auto here = sys::getcwd();
  return here ? below(*here, folder) : folder;
}

/// Puts its library into `files`. What is wrong with it, a sentence each.
std::vector<std::string> check_plugin(const ServerConfig& config, std::size_t index,
                                      plugins::PluginFiles& files) {
  const PluginOptions& plugin = config.plugins[index];
  const std::string folder = folder_of(config);
  const bool is_path = plugin.file().find('/') != std::string::npos;
  const std::string library = is_path ? below(folder, plugin.file()) : plugin.file();
  auto file = PluginFile::open(library, plugin_checks_of(config, plugin, folder));
  if (!file) return {fmt::format("plugin \"{}\": {}", plugin.name, file.error())};
  std::vector<std::string> sentences;
  for (const json::Violation& one : (*file)->object_to(plugin.config)) {
    const std::string place = config.place(one.origin);
    sentences.push_back(fmt::format("{}{}/plugins/{}/config{}: {}", place,
                                    place.empty() ? "" : ": ", index, one.pointer, one.text));
  }
  files.emplace(plugin.name, *std::move(file));
  return sentences;
}

}  // namespace

PluginNeeds plugin_needs() {
  return {{"ssxrver.http", "ssxrver.websocket", "ssxrver.loop", "ssxrver.db"}, SSXRVER_TOOLCHAIN};
}

PluginNeeds plugin_needs(const ServerConfig& config) {
  PluginNeeds needs = plugin_needs();
  needs.has_tasks = config.tasks.threads > 0;
  return needs;
}

PluginFile::Checks plugin_checks_of(const ServerConfig& config, const PluginOptions& plugin,
                                    const std::string& folder) {
  PluginFile::Checks checks{plugin_needs(config), {}, plugin.sha256};
  for (const std::string& path : config.plugin_defaults.search_path) {
    checks.search_path.push_back(below(folder, path));
  }
  return checks;
}

bool has_plugins(const ServerConfig& config) {
  return std::ranges::any_of(config.plugins, &PluginOptions::enabled);
}

StartupResult<plugins::PluginFiles> check_plugins(const ServerConfig& config) {
  plugins::PluginFiles files;
  std::vector<std::string> sentences;
  for (std::size_t index = 0; index < config.plugins.size(); ++index) {
    if (!config.plugins[index].enabled) continue;
    for (std::string& sentence : check_plugin(config, index, files)) {
      sentences.push_back(std::move(sentence));
    }
  }
  if (sentences.empty()) return files;
  return UnexpectedOf<StartupError>(StartupError(ExitCode::kConfig, std::move(sentences)));
}

}  // namespace ssx
