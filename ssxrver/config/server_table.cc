#include <memory>

#include "ssxrver/config/kinds.h"
#include "ssxrver/config/tables.h"

namespace ssx::config {
namespace {

using Profile = ServerConfig::Profile;

constexpr const char* kSecurity = R"({
  "tls": {"certificates": [], "min_version": "1.2", "ciphers": "", "client_ca": "",
          "client_verify": "off", "session_tickets": "on", "reload": "watch", "ktls": "off"}})";

constexpr const char* kOperations = R"({
  "pubsub": {"backend": "local",
             "redis": {"address": "127.0.0.1:6379", "password": "", "prefix": "ssxrver:"},
             "mesh": {"listen": "", "peers": [], "secret_file": ""}},
  "metrics": {"enabled": "off", "path": "/metrics", "listener": "admin"},
  "tracing": {"enabled": "off", "sample": 0.01, "propagate": "on", "exporter": "log",
              "endpoint": ""},
  "admin": {"enabled": "off", "socket": "", "address": "127.0.0.1", "port": 0, "dashboard": "on",
            "token_file": "", "health_path": "/healthz", "ready_path": "/readyz"}})";

/// `include` has done its work when the tables see the tree; only -g can leave it there. So it is
/// never read, and the field that it is bound to does not matter.
struct Included {
  std::optional<std::string> read(Reader& reader, const json::Value& value) const {
    reader.error(value, "files are included by files; -g sets single keys");
    return std::nullopt;
  }
  [[nodiscard]] json::Value write(const std::string&) const { return json::Array(); }
  void describe(Facts& facts) const {
    facts.type = "a list of file names";
    facts.schema.set("type", "array");
  }
};

void add_file_keys(ServerTable& table) {
  const auto live = Reload::kLive;
  table.key("$schema", &ServerConfig::schema, Text{.what = "text"}, live,
            "for editors; the program does not read it");
  table.key("config_version", &ServerConfig::version, Whole{{2, 2}}, live, "of this list of keys");
  table.key("profile", &ServerConfig::profile,
            Choice<Profile>{{{"default", Profile::kDefault}, {"hardened", Profile::kHardened}}},
            live, "which column of defaults applies to keys that are not there");
  table.key("include", &ServerConfig::schema, Included{}, live,
            "files read before this one, in order; this one has the last word");
  table.key(
      "strict", &ServerConfig::strict,
      Choice<Strictness>{
          {{"error", Strictness::kError}, {"warn", Strictness::kWarn}, {"off", Strictness::kOff}}},
      live, "what an unknown, duplicate or ill-typed key is");
}

ServerTable build() {
  ServerTable table;
  add_file_keys(table);
  add_thread_keys(table);
  table.group("http", http_keys(), "requests: their limits, and what answers them");
  table.group("websocket", websocket_keys(), "of each WebSocket, unless its route says otherwise");
  table.read_first("websocket");
  table.group("access", access_keys(), "who may connect, and whom to believe who a client is");
  add_socket_keys(table);
  table.group("log", log_keys(), "what is logged, and where");
  add_database_keys(table);
  table.later(kSecurity);
  table.group("limits", limits_keys(), "of the whole process");
  table.later(kOperations);
  table.object("daemon", &ServerConfig::daemon,
               std::make_shared<const Table<DaemonOptions>>(daemon_keys()), "the process itself");
  add_plugin_keys(table);
  table.key("custom", &ServerConfig::custom, AnyObject{}, Reload::kLive,
            "free for programs of your own; kept and printed as it is");
  table.check([](Reader& reader, const json::Value& value, ServerConfig& config) {
    check_proxies(reader, value, config);
    check_loop(reader, value, config);
    check_routes(reader, value, config);
    check_plugins(reader, value, config);
    check_databases(reader, value, config);
  });
  return table;
}

/// Limits of limits.md that have no key.
void harden_the_rest(ServerConfig& config) {
  http::ParserLimits& parser = config.http.parser;
  parser.field_name_max = 128;
  parser.leading_crlf_max = 0;
  parser.trailer_count_max = 0;
  parser.chunk_overhead_base = 16 << 10;
  parser.chunk_overhead_ratio = 1;
  config.http.multipart.part_fields_max = 8;
  config.http.query_params_max = 128;
  config.http.cookie_pairs_max = 64;
  config.connections.output_high = 256 << 10;
  config.connections.output_low = 64 << 10;
  config.connections.linger_bytes = 16 << 10;
  config.workers.connections_auto_max = 20000;
  config.udp.source_port_min = 1024;
  config.memory.save_percent = 70;
  config.memory.refuse_percent = 80;
  config.memory.stop_percent = 90;
  config.database_pool.acquire_timeout = config.mysql.pool.acquire_timeout;
  config.database_pool.connect_timeout = config.mysql.pool.connect_timeout;
  config.database_pool.query_timeout = config.mysql.pool.query_timeout;
  config.http.request_rates.assign(1, {.match = "/*", .rate = {200, std::chrono::seconds(1), 400}});
}

std::string name_of(const net::ListenOptions& listener) {
  if (!listener.unix_path.empty()) return "unix:" + listener.unix_path;
  if (listener.inherited_fd >= 0) return "fd:" + std::to_string(listener.inherited_fd);
  if (!listener.systemd_name.empty()) return "systemd:" + listener.systemd_name;
  const bool is_ipv6 = listener.address.find(':') != std::string::npos;
  return (is_ipv6 ? "[" + listener.address + "]" : listener.address) + ":" +
         std::to_string(listener.port);
}

}  // namespace

const ServerTable& server_table() {
  static const ServerTable table = build();
  return table;
}

const Facts& server_facts() {
  static const Facts root = [] {
    Facts facts;
    facts.type = "an object";
    auto hardened = profile_defaults(Profile::kHardened);
    hardened.profile = Profile::kDefault;  // the key itself has one default
    facts.children = server_table().describe(profile_defaults(Profile::kDefault), hardened);
    return facts;
  }();
  return root;
}

ServerConfig profile_defaults(Profile profile) {
  ServerConfig config;
  config.profile = profile;
  if (profile == Profile::kHardened) {
    server_table().harden(config);
    harden_the_rest(config);
  }
  return config;
}

net::ListenOptions default_listener(const ServerConfig& config) {
  net::ListenOptions listener;
  listener.address = config.address;
  listener.port = config.port;
  listener.proxy = config.proxy;
  return listener;
}

void complete(ServerConfig& config, bool has_routes) {
  if (config.listeners.empty()) config.listeners.push_back(default_listener(config));
  for (net::ListenOptions& listener : config.listeners) {
    if (listener.name.empty()) listener.name = name_of(listener);
  }
  if (!has_routes) config.routes.assign(1, default_route(config));
  if (config.udp.address.empty()) config.udp.address = config.address;
  config.connections.linger_timeout = config.http.timeouts.linger;
}

}  // namespace ssx::config
