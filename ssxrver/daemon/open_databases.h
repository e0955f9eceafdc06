// The databases of a configuration, opened for handlers and plugins.
//
// Thread: the control thread; all() as db::Databases
// Owner:  the Daemon
// Life:   open() between App::bind() and App::serve(), in the process that serves; destroyed behind
//         App::serve() and before the App, whose task threads SQLite works on
// Bounds: db::kDatabasesMax databases; one thread of its own where a server has a name
#pragma once

#include <map>
#include <memory>
#include <string>

#include "ssxrver/base/startup_error.h"
#include "ssxrver/config/database_options.h"
#include "ssxrver/db/databases.h"
#include "ssxrver/net/event_loop.h"
#include "ssxrver/net/resolver.h"
#include "ssxrver/net/task_pool.h"

namespace ssx {

using DatabaseMap = std::map<std::string, config::DatabaseOptions>;

class OpenDatabases {
 public:
  OpenDatabases() = default;
  OpenDatabases(const OpenDatabases&) = delete;
  OpenDatabases& operator=(const OpenDatabases&) = delete;

  /// Files are opened; servers are not asked yet. The first that cannot be is the error.
  StartupResult<void> open(const DatabaseMap& wanted, net::TaskPool& tasks);
  /// On `loop`, once: keeps the pools in order, and says which databases can be had and which not.
  void watch(net::EventLoop& loop);

  /// The same object before open(), when it is empty, and after.
  [[nodiscard]] db::Databases& all() noexcept { return databases_; }

 private:
  StartupResult<void> start_look_ups();

  std::unique_ptr<net::TaskPool> look_ups_;  ///< null: every server has an address
  std::unique_ptr<net::Resolver> resolver_;
  db::Databases databases_;
};

/// Connects to each server that must be there (`"on_unavailable": "fail"`), on a loop and in a pool
/// of its own that end before it returns. The error has a sentence for each that is not there.
/// Blocks as long as the slowest `acquire_timeout`.
StartupResult<void> reach_databases(const DatabaseMap& wanted);

/// kUnsupported: a charset that nobody knows, or a program that was built without MySQL.
[[nodiscard]] db::Result<std::unique_ptr<db::Driver>> make_mysql_driver(
    const config::DatabaseOptions& options, const net::Resolver* resolver);

}  // namespace ssx
