// The plugins of a configuration, looked at before anything listens: each file is opened and asked
// what it is, and its `config` is compared with the schema that it brings.
//
// Thread: the main thread
// Owner:  the caller
// Life:   one call; the libraries are given back before it returns
// Bounds: PluginOptions::kPluginsMax plugins, one after the other
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "ssxrver/base/startup_error.h"
#include "ssxrver/config/server_config.h"
#include "ssxrver/plugin/file/plugin_file.h"

namespace ssx {

/// What this program has for plugins.
[[nodiscard]] PluginNeeds plugin_needs();
/// For the file of one plugin of the configuration. `folder`: where relative paths start; empty =
/// here.
[[nodiscard]] PluginFile::Checks plugin_checks_of(const ServerConfig& config,
                                                  const PluginOptions& plugin,
                                                  const std::string& folder);
/// What the schema of `file` says against a config, one sentence each; `prefix` stands before the
/// JSON pointers.
[[nodiscard]] std::vector<std::string> object_to_config(const PluginFile& file,
                                                        const json::Value& config,
                                                        const std::string& prefix);

/// One of them is on.
[[nodiscard]] bool has_plugins(const ServerConfig& config);

/// Every plugin that is on, in the order of their start. The error has all sentences.
StartupResult<void> check_plugins(const ServerConfig& config);

}  // namespace ssx
