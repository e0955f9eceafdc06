// The databases of a configuration, looked at without opening them: what the build has, what the
// client library takes, and whether a file can be where it should be.
//
// Thread: the main thread
// Owner:  the caller
// Life:   one call; nothing is made and nothing connects
// Bounds: db::kDatabasesMax databases, one after the other
#pragma once

#include <string>
#include <string_view>

#include "ssxrver/base/startup_error.h"
#include "ssxrver/config/server_config.h"

namespace ssx {

/// Every database that is to be opened. The error has all sentences.
StartupResult<void> check_databases(const ServerConfig& config);

/// Where the configuration says what: "/mysql", "/databases/notes".
[[nodiscard]] std::string pointer_to_database(const ServerConfig& config, std::string_view name);

}  // namespace ssx
