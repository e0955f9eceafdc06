#include <fmt/format.h>

#include <algorithm>

#include "http/auth_file.h"
#include "ssxrver/config/kinds.h"
#include "ssxrver/config/tables.h"

namespace ssx::config {
namespace {

using http::RouteOptions;
using http::SurroundOptions;

/// Names of middleware, each once.
struct MiddlewareNames {
  std::optional<std::vector<std::string>> read(Reader& reader, const json::Value& value) const {
    const json::Array* items = value.array();
    if (items == nullptr) return reader.ill_typed(value, "a list of names");
    std::vector<std::string> names;
    for (std::size_t i = 0; i < items->size(); ++i) {
      const Reader::Step step(reader, std::to_string(i));
      const auto index = choice().read(reader, (*items)[i]);
      if (!index) continue;
      std::string name(SurroundOptions::kMiddleware[*index]);
      if (std::ranges::find(names, name) != names.end()) {
        reader.error((*items)[i], fmt::format("\"{}\" is there already", name));
      } else {
        names.push_back(std::move(name));
      }
    }
    return names;
  }
  [[nodiscard]] json::Value write(const std::vector<std::string>& names) const {
    return Words{}.write(names);
  }
  void describe(Facts& facts) const {
    Facts one;
    choice().describe(one);
    Words{}.describe(facts);
    facts.type = fmt::format("a list: {}", one.type);
  }
  [[nodiscard]] static ChoiceNames choice() {
    const auto& names = SurroundOptions::kMiddleware;
    return {{names.begin(), names.end()}, {}};
  }
};

const char* object_to_auth(const std::string& text) {
  return text.empty() || !http::AuthFile::path_of(text).empty()
             ? nullptr
             : "\"basic:FILE\" or \"bearer:FILE\"";
}

/// Handlers that are functions and give back nothing of the request.
bool can_leave_loop(const RouteOptions& route) {
  return route.handler == "text" || route.handler == "status";
}

/// As it is read once the daemon has entered its working directory.
std::string file_from_here(const std::string& auth, const std::string& folder) {
  const auto file = http::AuthFile::path_of(auth);
  if (folder.empty() || file.starts_with('/')) return auth;
  return fmt::format("{}{}/{}", auth.substr(0, auth.size() - file.size()), folder, file);
}

void check_auth(Reader& reader, const json::Value& value, const std::string& auth,
                const std::string& folder) {
  if (auth.empty()) return;
  const Reader::Step step(reader, "auth");
  const auto loaded = http::AuthFile::load(file_from_here(auth, folder));
  if (!loaded) reader.error(value, loaded.error());
}

}  // namespace

void add_surround_keys(Table<RouteOptions>& table) {
  const auto live = Reload::kLive;
  table.key("run_on", &RouteOptions::run_on_tasks, Choice<bool>{{{"loop", false}, {"tasks", true}}},
            live,
            "\"tasks\": on a task thread, of task_processes; the handlers \"text\" and \"status\"");
  table.key("middleware", in(&RouteOptions::around, &SurroundOptions::middleware),
            MiddlewareNames{}, live, "around all that follows, the first outermost");
  table.key("rate_limit", in(&RouteOptions::around, &SurroundOptions::rate_limit), RateText{}, live,
            "of each client, over all I/O threads; 429 above it; empty = no limit");
  table.key("auth", in(&RouteOptions::around, &SurroundOptions::auth),
            Text{.what = "text", .objection = object_to_auth}, live,
            "who is let in: \"basic:FILE\" with NAME:PASSWORD lines, or \"bearer:FILE\" with a "
            "token a line; not for everybody to read; empty = all");
}

void check_run_on(Reader& reader, const json::Value& value, const RouteOptions& route) {
  if (!route.run_on_tasks || can_leave_loop(route)) return;
  const json::Value* run_on = value.find("run_on");
  const Reader::Step step(reader, "run_on");
  reader.error(run_on != nullptr ? *run_on : value,
               fmt::format("the handler \"{}\" runs on the loop", route.handler));
}

void check_routes(Reader& reader, const json::Value& root, const ServerConfig& config) {
  const json::Value* http = root.find("http");
  const json::Value* list = http != nullptr ? http->find("routes") : nullptr;
  const json::Array* entries = list != nullptr ? list->array() : nullptr;
  if (entries == nullptr || entries->size() != config.routes.size()) return;
  const Reader::Step outer(reader, "http");
  const Reader::Step routes(reader, "routes");
  for (std::size_t i = 0; i < entries->size(); ++i) {
    const Reader::Step step(reader, std::to_string(i));
    const RouteOptions& route = config.routes[i];
    if (const json::Value* auth = (*entries)[i].find("auth"))
      check_auth(reader, *auth, route.around.auth, config.daemon.working_directory);
    const json::Value* run_on = (*entries)[i].find("run_on");
    if (run_on != nullptr && route.run_on_tasks && config.tasks.threads == 0) {
      const Reader::Step key(reader, "run_on");
      reader.error(*run_on, "there is no task thread: \"task_processes\" is 0");
    }
  }
}

}  // namespace ssx::config
