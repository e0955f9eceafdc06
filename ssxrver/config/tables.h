// The tables themselves: every key of the file, in the order in which -T prints them.
//
// Thread: any thread
// Owner:  the caller; server_table() and server_facts() keep theirs for good
// Life:   any
// Bounds: the documented keys
#pragma once

#include "ssxrver/config/bind.h"
#include "ssxrver/config/rule_keys.h"
#include "ssxrver/config/server_config.h"

namespace ssx::config {

using ServerTable = Table<ServerConfig>;

/// Everything, built once.
[[nodiscard]] const ServerTable& server_table();
/// What is known of every key: a root without a name, whose children are the top level.
[[nodiscard]] const Facts& server_facts();

/// The defaults of a profile.
[[nodiscard]] ServerConfig profile_defaults(ServerConfig::Profile profile);
/// A route with everything that it inherits from `http`.
[[nodiscard]] RouteOptions default_route(const ServerConfig& config);
/// A listener on the top-level address and port.
[[nodiscard]] net::ListenOptions default_listener(const ServerConfig& config);
/// What follows from other keys: listeners and routes when none are named, addresses, time-outs.
/// `has_routes`: the file has the key `http.routes`, be it an empty list.
void complete(ServerConfig& config, bool has_routes);

// The parts of the table.
void add_thread_keys(ServerTable& table);  ///< port .. blocks_ip
[[nodiscard]] ServerTable http_keys();
[[nodiscard]] ServerTable compression_keys();
[[nodiscard]] Table<http::CorsOptions> cors_keys();
[[nodiscard]] Table<RouteOptions> route_keys();
void add_surround_keys(Table<RouteOptions>& table);  ///< of a route: run_on .. middleware
void add_target_keys(Table<RouteOptions>& table);    ///< `to`
/// Not `rewrite`: what surrounds and limits it is for the route that answers.
[[nodiscard]] bool answers_itself(const RouteOptions& route);
inline constexpr const char* kAnswersItself = "handlers that answer themselves, not \"rewrite\"";
/// What `to` says, and the status of a redirect.
void check_target(Reader& reader, const json::Value& value, RouteOptions& route);
void check_run_on(Reader& reader, const json::Value& value, const RouteOptions& route);
/// Files that cannot be used, task threads that are not there.
void check_routes(Reader& reader, const json::Value& root, ServerConfig& config);
/// The `websocket` object.
[[nodiscard]] ServerTable websocket_keys();
/// Those that a route may have, for themselves.
[[nodiscard]] Table<WebSocketRouteOptions> websocket_route_keys();
/// The same keys on a route, but for those that are of all WebSockets together.
void add_websocket_keys(Table<RouteOptions>& table);
[[nodiscard]] bool is_websocket(const RouteOptions& route);
/// Methods other than GET, and limits that do not go together.
void check_websocket_route(Reader& reader, const json::Value& value, RouteOptions& route);
/// What routes of WebSockets send must fit below their `backpressure.max`.
void make_room(Reader& reader, const json::Value& root, const json::Value& entry,
               RouteOptions& route);
void add_socket_keys(ServerTable& table);  ///< udp .. transport
/// A listener for proxies, and no proxies that are trusted: nobody could connect.
void check_proxies(Reader& reader, const json::Value& root, const ServerConfig& config);
void check_loop(Reader& reader, const json::Value& root, const ServerConfig& config);
[[nodiscard]] ServerTable log_keys();
[[nodiscard]] ServerTable access_keys();
[[nodiscard]] ServerTable limits_keys();
[[nodiscard]] Table<DaemonOptions> daemon_keys();

/// `mysql` and `databases`.
void add_database_keys(ServerTable& table);
/// Names that `mysql` has taken, files without task threads.
void check_databases(Reader& reader, const json::Value& root, const ServerConfig& config);

/// `plugin_defaults` and `plugins`.
void add_plugin_keys(ServerTable& table);
/// Names that occur twice or are not there, circles of `depends`, hashes that are missing.
void check_plugins(Reader& reader, const json::Value& root, ServerConfig& config);
/// "there is no plugin ...; did you mean ...?", or empty: there is.
[[nodiscard]] std::string object_to_missing_plugin(std::string_view name,
                                                   const std::vector<PluginOptions>& plugins);

}  // namespace ssx::config
