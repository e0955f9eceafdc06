// The whole configuration of the daemon: every layer's options, filled from one JSON file.
//
// docs/reference/config.md lists the keys; it is made from the same tables that read them.
//
// Thread: immutable once loaded
// Owner:  main, then the Daemon
// Life:   that of the daemon
// Bounds: every key has its range; files are bounded by json_file.h
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "http/options.h"
#include "ssxrver/app/route_options.h"
#include "ssxrver/base/startup_error.h"
#include "ssxrver/config/daemon_options.h"
#include "ssxrver/config/database_options.h"
#include "ssxrver/config/report.h"
#include "ssxrver/json/json.h"
#include "ssxrver/log/options.h"
#include "ssxrver/net/options.h"
#include "ssxrver/net/task_options.h"
#include "ssxrver/net/udp_options.h"
#include "ssxrver/plugin/file/options.h"
#include "websocket/options.h"

namespace ssx {

struct ServerConfig {
  enum class Profile : std::uint8_t { kDefault, kHardened };
  enum class Secrets : std::uint8_t { kMasked, kShown };

  /// The file with what it includes, and `overrides` ("key.path=value") on top. The error lists
  /// every problem, one per line: FILE:LINE:COLUMN, JSON pointer, what was expected.
  static StartupResult<ServerConfig> load(const std::string& path,
                                          const std::vector<std::string>& overrides = {});
  /// The same from a text in memory, which messages call `name`.
  static StartupResult<ServerConfig> parse(const std::string& text,
                                           const std::vector<std::string>& overrides = {},
                                           const std::string& name = "config");

  /// The effective configuration: clean JSON with every key, which loads to an equal one.
  [[nodiscard]] std::string to_json(Secrets secrets = Secrets::kMasked) const;

  /// Every database that is to be opened: `databases`, and `mysql` when it is started.
  [[nodiscard]] std::map<std::string, config::DatabaseOptions> opened_databases() const;

  /// Puts `folder` before every relative path, so that leaving the folder changes nothing.
  void make_paths_absolute(const std::string& folder);

  std::string schema = "ssxrver.schema.json";              ///< `$schema`: for editors
  unsigned version = 2;                                    ///< `config_version`
  Profile profile = Profile::kDefault;                     ///< `profile`: the column of defaults
  config::Strictness strict = config::Strictness::kError;  ///< `strict`
  std::string address =
      "127.0.0.1";            ///< `address`: of the listener that is made when none is listed
  std::uint16_t port = 4507;  ///< `port`: the same

  net::WorkerOptions workers;
  net::LoopOptions loop;
  net::TcpOptions tcp;
  net::ConnectionOptions connections;
  net::AccessOptions access;
  net::MemoryOptions memory;
  net::ProxyMode proxy = net::ProxyMode::kOff;  ///< `access.proxy_protocol`: of every listener
  std::vector<net::ListenOptions> listeners;    ///< never empty after load()
  net::TaskOptions tasks;
  net::UdpOptions udp;
  http::HttpOptions http;
  http::CompressionOptions compression;  ///< `http.compression`: around all routes
  http::StaticOptions files;             ///< `http.static` and `http.root_path`
  http::CorsOptions cors;                ///< `http.cors`: around all routes
  std::vector<RouteOptions> routes;      ///< `http.routes`, in the order of the file
  WebSocketRouteOptions websocket;       ///< `websocket`: what its routes do not say themselves
  websocket::ServiceOptions websockets;  ///< `websocket`: of all of them together
  log::LogOptions log;
  http::AccessLogOptions access_log;  ///< `log.access`
  DaemonOptions daemon;
  bool mysql_started = false;   ///< `mysql.mysql_started`
  config::DatabaseOptions mysql{///< `mysql`: opened as the database "mysql" when it is started
                                .driver = config::DatabaseOptions::Driver::kMysql};
  std::map<std::string, config::DatabaseOptions> databases;  ///< `databases`
  db::PoolOptions database_pool;  ///< the defaults of the profile, for `databases`
  PluginDefaults plugin_defaults;
  std::vector<PluginOptions> plugins;  ///< in the order of the file
  json::Value custom =
      json::Object();  ///< `custom`: any object, for plugins and programs of one's own

  /// Sentences that did not stop the load (`strict: "warn"`, exposed secrets).
  std::vector<std::string> warnings;

  /// Where a value of `plugins` stood: "conf/ssxrver.json:12:5". Empty: in no file.
  [[nodiscard]] std::string place(const json::Origin& origin) const;
  std::shared_ptr<const config::Sources> sources;  ///< what load() has read

  /// The warnings and the sources do not count.
  friend bool operator==(const ServerConfig& a, const ServerConfig& b);
};

}  // namespace ssx
