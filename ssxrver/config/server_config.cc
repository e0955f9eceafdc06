#include "ssxrver/config/server_config.h"

#include <tuple>
#include <utility>

#include "http/auth_file.h"
#include "ssxrver/base/strings.h"
#include "ssxrver/config/json_file.h"
#include "ssxrver/config/tables.h"

namespace ssx {
namespace {

using config::Facts;
using config::Problems;
using config::Reader;
using config::Sources;

constexpr const char* kMask = "********";

/// Two keys decide how the others are read, so they are looked at first; a wrong value is reported
/// when their turn comes.
bool is_word(const json::Value& root, std::string_view key, std::string_view word) {
  const json::Value* value = root.find(key);
  return value != nullptr && value->string() != nullptr && ascii_iequals(*value->string(), word);
}

StartupResult<ServerConfig> bind(const json::Value& root, Sources sources, Problems& problems) {
  const bool is_hardened = is_word(root, "profile", "hardened");
  using Profile = ServerConfig::Profile;
  auto config = config::profile_defaults(is_hardened ? Profile::kHardened : Profile::kDefault);
  const auto homes = [](std::string_view name) { return homes_of(config::server_facts(), name); };
  Reader reader(sources, problems, homes, is_hardened);
  config::server_table().read(reader, root, config);
  const json::Value* http = root.find("http");
  config::complete(config, http != nullptr && http->find("routes") != nullptr);
  auto errors = problems.errors(sources, config.strict);
  if (!errors.empty()) {
    return UnexpectedOf<StartupError>(StartupError(ExitCode::kConfig, std::move(errors)));
  }
  config.warnings = problems.warnings(sources, config.strict);
  config.sources = std::make_shared<const Sources>(std::move(sources));
  return config;
}

/// "${" in a value must come back as it is when the text is read again.
void escape_texts(json::Value& value) {
  if (std::string* text = value.string()) *text = config::escape_expansion(*text);
  if (json::Array* items = value.array()) {
    for (json::Value& item : *items) escape_texts(item);
  }
  if (json::Object* members = value.object()) {
    for (json::Member& member : *members) escape_texts(member.value);
  }
}

void mask_secrets(json::Value& object, const Facts& facts) {
  for (const Facts& child : facts.children) {
    json::Value* value = object.find(child.name);
    if (value == nullptr) continue;
    const bool is_text = value->string() != nullptr && !value->string()->empty();
    if (child.is_secret && is_text) *value = json::Value(kMask);
    if (!child.is_map || value->object() == nullptr) {
      mask_secrets(*value, child);
      continue;
    }
    for (json::Member& entry : *value->object()) mask_secrets(entry.value, child);
  }
}

/// The one listener that is made from `address` and `port` is not written.
bool has_own_listeners(const ServerConfig& config) {
  ServerConfig made;
  made.address = config.address;
  made.port = config.port;
  made.proxy = config.proxy;
  config::complete(made, true);
  return config.listeners != made.listeners;
}

auto fields(const ServerConfig& c) {
  return std::tie(c.schema, c.version, c.profile, c.strict, c.address, c.port, c.workers, c.loop,
                  c.tcp, c.connections, c.access, c.memory, c.proxy, c.listeners, c.tasks, c.udp,
                  c.http, c.compression, c.files, c.cors, c.routes, c.websocket, c.websockets,
                  c.log, c.access_log, c.daemon, c.mysql_started, c.mysql, c.databases,
                  c.database_pool, c.plugin_defaults, c.plugins, c.custom);
}

void make_absolute(std::string& path, const std::string& folder) {
  const bool is_relative = !path.empty() && path.front() != '/';
  if (is_relative) path = folder + (folder.ends_with('/') ? "" : "/") + path;
}

}  // namespace

StartupResult<ServerConfig> ServerConfig::load(const std::string& path,
                                               const std::vector<std::string>& overrides) {
  Sources sources;
  Problems problems;
  auto root = config::read_document(path, overrides, sources, problems);
  if (!root) return UnexpectedOf<StartupError>(std::move(root).error());
  return bind(*root, std::move(sources), problems);
}

StartupResult<ServerConfig> ServerConfig::parse(const std::string& text,
                                                const std::vector<std::string>& overrides,
                                                const std::string& name) {
  Sources sources;
  Problems problems;
  const auto root = config::read_text(name, {text, 0600}, overrides, sources, problems);
  return bind(root, std::move(sources), problems);
}

std::string ServerConfig::to_json(Secrets secrets) const {
  json::Value root;
  if (has_own_listeners(*this)) {
    root = config::server_table().write(*this);
  } else {
    ServerConfig bare = *this;
    bare.listeners.clear();
    root = config::server_table().write(bare);
  }
  escape_texts(root);
  if (secrets == Secrets::kMasked) mask_secrets(root, config::server_facts());
  return json::write(root) + "\n";
}

std::map<std::string, config::DatabaseOptions> ServerConfig::opened_databases() const {
  auto opened = databases;
  if (mysql_started) opened.emplace(config::kMysqlDatabase, mysql);
  return opened;
}

void ServerConfig::make_paths_absolute(const std::string& folder) {
  make_absolute(http.spool_path, folder);
  make_absolute(files.root, folder);
  for (auto& [status, path] : http.error_pages) make_absolute(path, folder);
  for (RouteOptions& route : routes) {
    make_absolute(route.files.root, folder);
    std::string file(http::AuthFile::path_of(route.around.auth));
    route.around.auth.resize(route.around.auth.size() - file.size());
    make_absolute(file, folder);
    route.around.auth += file;
  }
  for (std::string& path : plugin_defaults.search_path) make_absolute(path, folder);
  for (PluginOptions& plugin : plugins) {
    if (plugin.library.find('/') != std::string::npos) make_absolute(plugin.library, folder);
  }
  make_absolute(log.path, folder);
  make_absolute(daemon.pid_file, folder);
  make_absolute(mysql.server.unix_socket, folder);
  for (auto& [name, database] : databases) {
    make_absolute(database.sqlite.file, folder);
    make_absolute(database.server.unix_socket, folder);
  }
  for (net::ListenOptions& listener : listeners) {
    if (!listener.unix_path.starts_with('@')) make_absolute(listener.unix_path, folder);
  }
}

std::string ServerConfig::place(const json::Origin& origin) const {
  return sources != nullptr && origin.source < sources->count() ? sources->place(origin) : "";
}

bool operator==(const ServerConfig& a, const ServerConfig& b) { return fields(a) == fields(b); }

}  // namespace ssx
