// `ssxrver plugin info|check|new`: what there is to do with plugins while no daemon runs.
//
// Thread: the main thread
// Owner:  -
// Life:   one call
// Bounds: those of PluginFile; of a project, the files of ssxrver/plugin/template
#pragma once

#include <string>

#include "ssxrver/base/startup_error.h"

namespace ssx {

/// What the file says of itself, a line each.
StartupResult<std::string> plugin_info(const std::string& file);

/// Everything that `ssxrver -t` would look at in a plugin of this file with this `config` (a JSON
/// text, or empty for {}): a line that says that all is well.
StartupResult<std::string> check_plugin_file(const std::string& file, const std::string& config);

/// Writes a project for a plugin of this name into `folder` (empty: a new folder of that name),
/// which must not be there: a line that says what to do next.
StartupResult<std::string> new_plugin(const std::string& name, const std::string& folder);

}  // namespace ssx
