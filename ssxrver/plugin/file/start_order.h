// Plugins in an order in which each stands behind those that it depends on.
//
// Thread: any thread
// Owner:  the caller
// Life:   one call
// Bounds: PluginOptions::kPluginsMax plugins
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "ssxrver/base/result.h"
#include "ssxrver/plugin/file/options.h"

namespace ssx {

/// A ring of plugins that wait for each other.
struct PluginCycle {
  std::size_t first;  ///< one of it
  std::string text;   ///< "a -> b -> a"
};

/// Places in `plugins`, those that are off left out; else in the order of the configuration. Stop
/// in the opposite order. Names that nobody has are passed over.
Expected<std::vector<std::size_t>, PluginCycle> plugin_start_order(
    const std::vector<PluginOptions>& plugins);

}  // namespace ssx
