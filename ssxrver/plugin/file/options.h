// What a configuration says of plugins (`plugin_defaults`, `plugins`).
//
// Thread: immutable once validated
// Owner:  ServerConfig
// Life:   that of the configuration
// Bounds: every field says its range
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "ssxrver/json/json.h"

namespace ssx {

/// When the daemon looks for a newer file.
enum class PluginReload : std::uint8_t {
  kManual,  ///< when it is told to
  kWatch,   ///< when the file has changed
  kOff,     ///< never: a restart
};

/// What plugins do not say themselves.
struct PluginDefaults {
  static constexpr std::size_t kFoldersMax = 64;

  std::vector<std::string> search_path{"/usr/lib/ssxrver/plugins", "./plugins"};
  PluginReload reload = PluginReload::kManual;
  std::chrono::milliseconds drain_timeout{30000};
  bool require_sha256 = false;       ///< every plugin that is on has a `sha256`
  std::size_t generations_max = 16;  ///< of each plugin that are in memory: 2 .. 1024
  bool operator==(const PluginDefaults&) const = default;
};

/// One instance of a plugin.
struct PluginOptions {
  static constexpr std::size_t kPluginsMax = 256;
  static constexpr std::size_t kDependsMax = 64;

  std::string name;                  ///< [a-z][a-z0-9_]*, at most 64 bytes; each once
  std::string library;               ///< a path, or a file of the search path; empty: NAME.so
  std::string mount = "/";           ///< before the patterns of its routes
  bool enabled = true;               ///< off: checked in part, and not loaded
  std::string sha256;                ///< of the file, 64 hex digits; empty: not compared
  std::vector<std::string> depends;  ///< names of plugins that start before it
  PluginReload reload = PluginReload::kManual;
  std::chrono::milliseconds drain_timeout{30000};  ///< for what is under way when it goes
  json::Value config = json::Object();             ///< its own; its schema says what is in it
  bool operator==(const PluginOptions&) const = default;

  /// As PluginFile::open takes it.
  [[nodiscard]] std::string file() const { return library.empty() ? name + ".so" : library; }
};

}  // namespace ssx
