// The plugins of a configuration, looked at before anything listens: each file is opened and asked
// what it is, and its `config` is compared with the schema that it brings.
//
// Thread: the main thread
// Owner:  the caller
// Life:   one call; the libraries stay open for whoever goes on with them
// Bounds: PluginOptions::kPluginsMax plugins, one after the other
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "ssxrver/base/startup_error.h"
#include "ssxrver/config/server_config.h"
#include "ssxrver/plugin/file/plugin_file.h"
#include "ssxrver/plugin/manager/manager.h"

namespace ssx {

/// What this program has for plugins.
[[nodiscard]] PluginNeeds plugin_needs();
/// What it has as this configuration says.
[[nodiscard]] PluginNeeds plugin_needs(const ServerConfig& config);
/// For the file of one plugin of the configuration. `folder`: where relative paths start; empty =
/// here.
[[nodiscard]] PluginFile::Checks plugin_checks_of(const ServerConfig& config,
                                                  const PluginOptions& plugin,
                                                  const std::string& folder);

/// One of them is on.
[[nodiscard]] bool has_plugins(const ServerConfig& config);

/// Every plugin that is on, in the order of the file: their libraries, open. The error has all
/// sentences.
StartupResult<plugins::PluginFiles> check_plugins(const ServerConfig& config);

}  // namespace ssx
