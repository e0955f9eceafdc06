// What is set for the whole process before anything is opened: umask, file limit, folder.
//
// Thread: the main thread, before any other
// Owner:  -
// Life:   once
// Bounds: DaemonOptions
#pragma once

#include "ssxrver/base/startup_error.h"
#include "ssxrver/config/server_config.h"

namespace ssx {

/// Relative paths of `config` become absolute on the way.
StartupResult<void> prepare_process(ServerConfig& config);

}  // namespace ssx
