#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <set>

#include "ssxrver/base/nearest.h"
#include "ssxrver/config/kinds.h"
#include "ssxrver/config/tables.h"
#include "ssxrver/plugin/file/description.h"
#include "ssxrver/plugin/file/start_order.h"

namespace ssx::config {
namespace {

constexpr std::size_t kPathMax = 4096;
constexpr std::size_t kShaSize = 64;

const char* object_to_plugin_name(const std::string& text) {
  return is_plugin_name(text) ? nullptr : "a name such as \"chat\": a-z, 0-9 and _, at most 64";
}

const char* object_to_sha256(const std::string& text) {
  const bool is_hash = text.size() == kShaSize &&
                       text.find_first_not_of("0123456789abcdefABCDEF") == std::string::npos;
  return text.empty() || is_hash ? nullptr : "64 hex digits, as sha256sum prints them";
}

const char* object_to_mount(const std::string& text) {
  const bool is_good = text == "/" || (text.starts_with('/') && !text.ends_with('/') &&
                                       text.find_first_of("*{}?# ") == std::string::npos &&
                                       text.find("//") == std::string::npos);
  return is_good ? nullptr : "a path such as \"/\" or \"/api\"";
}

Choice<PluginReload> reload_choice() {
  return {{{"manual", PluginReload::kManual},
           {"watch", PluginReload::kWatch},
           {"off", PluginReload::kOff}}};
}

Table<PluginDefaults> default_keys() {
  const auto live = Reload::kLive;
  Table<PluginDefaults> table;
  table.key("search_path", &PluginDefaults::search_path,
            Words{{.length_max = kPathMax, .may_be_empty = false, .what = "a path"},
                  PluginDefaults::kFoldersMax},
            live, "folders in which libraries are looked for, the first that has one wins");
  table.key("reload", &PluginDefaults::reload, reload_choice(), live,
            "of plugins that do not say it themselves");
  table.key("drain_timeout", &PluginDefaults::drain_timeout, Time{.has_off = false}, live,
            "of plugins that do not say it themselves");
  table.later(R"({"isolation": "in_process"})");
  table
      .key("require_sha256", &PluginDefaults::require_sha256, Switch{}, live,
           "every plugin that is on has a `sha256`")
      .hardened(true);
  table.key("generations_max", &PluginDefaults::generations_max, Whole{{2, 1024}}, Reload::kRestart,
            "of each plugin, how many may be in memory: the one that serves, and older ones that "
            "something still holds or that cannot be unloaded; a reload beyond is refused");
  return table;
}

Table<PluginOptions> plugin_keys() {
  const auto live = Reload::kLive;
  Table<PluginOptions> table;
  table.key("name", &PluginOptions::name,
            Text{.what = "a name", .objection = object_to_plugin_name}, live,
            "of this instance: in routes, logs and counters; each once");
  table.key("library", &PluginOptions::library, Text{.length_max = kPathMax, .what = "a path"},
            live,
            "a path with a \"/\", or a file of plugin_defaults.search_path; empty = NAME.so. Owned "
            "by root or by this user, not for others to write, no symbolic link");
  table.key("mount", &PluginOptions::mount, Text{.what = "a path", .objection = object_to_mount},
            live, "before the patterns of its routes");
  table.key("enabled", &PluginOptions::enabled, Switch{}, live, "off: not loaded");
  table.key("sha256", &PluginOptions::sha256, Text{.what = "a hash", .objection = object_to_sha256},
            live, "of the library, 64 hex digits; empty = not compared");
  table.later(R"({"isolation": "in_process"})");
  table.key(
      "depends", &PluginOptions::depends,
      Words{{.what = "a name", .objection = object_to_plugin_name}, PluginOptions::kDependsMax},
      live, "names of plugins that start before it and stop behind it");
  table.key("reload", &PluginOptions::reload, reload_choice(), live,
            "when a newer library is looked for; without the key, as in plugin_defaults");
  table.key("drain_timeout", &PluginOptions::drain_timeout, Time{.has_off = false}, live,
            "for what is under way when it goes; without the key, as in plugin_defaults");
  table.later(R"({"rollback": {"probe": "", "window": "10s"}, "capabilities": []})");
  table.key("config", &PluginOptions::config, AnyObject{}, live,
            "what the plugin itself reads: its JSON Schema says what is in it");
  table.check([](Reader& reader, const json::Value& value, PluginOptions&) {
    if (value.find("name") == nullptr) reader.error(value, "a plugin needs the key \"name\"");
  });
  return table;
}

PluginOptions default_plugin(const ServerConfig& config) {
  PluginOptions plugin;
  plugin.reload = config.plugin_defaults.reload;
  plugin.drain_timeout = config.plugin_defaults.drain_timeout;
  return plugin;
}

/// At a key of a plugin, or at the plugin where it has no such key.
void error_at(Reader& reader, const json::Value& entry, const char* key, std::string text) {
  const json::Value* value = entry.find(key);
  if (value == nullptr) return reader.error(entry, std::move(text));
  const Reader::Step step(reader, key);
  reader.error(*value, std::move(text));
}

void check_depends(Reader& reader, const json::Value& entry, const ServerConfig& config,
                   const PluginOptions& plugin) {
  for (const std::string& name : plugin.depends) {
    if (auto why = object_to_missing_plugin(name, config.plugins); !why.empty()) {
      error_at(reader, entry, "depends", std::move(why));
      continue;
    }
    const auto other = std::ranges::find(config.plugins, name, &PluginOptions::name);
    if (plugin.enabled && !other->enabled) {
      error_at(reader, entry, "depends", fmt::format("the plugin \"{}\" is not enabled", name));
    }
  }
}

/// Routes that name a plugin which is not there.
void check_handlers(Reader& reader, const json::Value& root, const ServerConfig& config) {
  const json::Value* list = json::find_by_pointer(root, "/http/routes");
  const json::Array* routes = list != nullptr ? list->array() : nullptr;
  if (routes == nullptr) return;
  const Reader::Step outer(reader, "http");
  const Reader::Step inner(reader, "routes");
  for (std::size_t i = 0; i < routes->size(); ++i) {
    const json::Value* handler = (*routes)[i].find("handler");
    const std::string_view name =
        handler != nullptr && handler->string() != nullptr ? plugin_of(*handler->string()) : "";
    if (name.empty()) continue;
    const Reader::Step step(reader, std::to_string(i));
    if (auto why = object_to_missing_plugin(name, config.plugins); !why.empty()) {
      error_at(reader, (*routes)[i], "handler", std::move(why));
    }
  }
}

}  // namespace

std::string object_to_missing_plugin(std::string_view name,
                                     const std::vector<PluginOptions>& plugins) {
  if (std::ranges::find(plugins, name, &PluginOptions::name) != plugins.end()) return {};
  std::vector<std::string_view> names;
  for (const PluginOptions& plugin : plugins) names.push_back(plugin.name);
  const std::string_view near = nearest(name, names);
  return near.empty() ? fmt::format("there is no plugin \"{}\"", name)
                      : fmt::format("there is no plugin \"{}\"; did you mean \"{}\"?", name, near);
}

void add_plugin_keys(ServerTable& table) {
  table.object("plugin_defaults", &ServerConfig::plugin_defaults,
               std::make_shared<const Table<PluginDefaults>>(default_keys()),
               "what plugins do not say themselves");
  table.list<decltype(&ServerConfig::plugins), PluginOptions>(
      "plugins", &ServerConfig::plugins,
      std::make_shared<const Table<PluginOptions>>(plugin_keys()), default_plugin,
      PluginOptions::kPluginsMax, Reload::kLive,
      "libraries of handlers; `ssxrver -t` loads and checks each");
}

void check_plugins(Reader& reader, const json::Value& root, ServerConfig& config) {
  const json::Value* list = root.find("plugins");
  const json::Array* entries = list != nullptr ? list->array() : nullptr;
  check_handlers(reader, root, config);
  if (entries == nullptr || entries->size() != config.plugins.size()) return;
  const Reader::Step outer(reader, "plugins");
  std::set<std::string_view> names;
  for (std::size_t i = 0; i < entries->size(); ++i) {
    const PluginOptions& plugin = config.plugins[i];
    const json::Value& entry = (*entries)[i];
    const Reader::Step step(reader, std::to_string(i));
    if (!plugin.name.empty() && !names.insert(plugin.name).second) {
      error_at(reader, entry, "name", fmt::format("\"{}\" is there already", plugin.name));
    }
    if (plugin.enabled && plugin.sha256.empty() && config.plugin_defaults.require_sha256) {
      error_at(reader, entry, "sha256",
               "\"sha256\" is needed: plugin_defaults.require_sha256 is on");
    }
    check_depends(reader, entry, config, plugin);
  }
  const auto order = plugin_start_order(config.plugins);
  if (order) return;
  const Reader::Step step(reader, std::to_string(order.error().first));
  error_at(reader, (*entries)[order.error().first], "depends",
           "leads in a circle: " + order.error().text);
}

}  // namespace ssx::config
