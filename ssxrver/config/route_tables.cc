#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "http/auth_file.h"
#include "http/route_pattern.h"
#include "http/target_template.h"
#include "ssxrver/base/nearest.h"
#include "ssxrver/config/kinds.h"
#include "ssxrver/config/tables.h"

namespace ssx::config {
namespace {

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

/// Handlers that are functions and give back nothing of the request. Of a plugin nobody knows.
bool can_leave_loop(const RouteOptions& route) {
  return (is_rule(route) && !is_websocket(route)) || route.handler == "text" ||
         route.handler == "status" || route.handler == "redirect";
}

bool leads_elsewhere(const RouteOptions& route) {
  return route.handler == "redirect" || route.handler == "rewrite";
}

void check_to(Reader& reader, const json::Value& value, const RouteOptions& route) {
  using http::TargetTemplate;
  const auto pattern = http::RoutePattern::parse(route.match);
  if (!pattern) return;  // said at `match`, or when the routes are built
  const auto names = pattern->names();
  const auto kind =
      route.handler == "redirect" ? TargetTemplate::Kind::kUrl : TargetTemplate::Kind::kPath;
  const auto made = TargetTemplate::parse(route.to, names, kind);
  if (made) return;
  std::string text = made.error().text();
  if (made.error().what == TargetTemplate::Mistake::What::kUnknownName) {
    const auto near = nearest(made.error().name, {names.begin(), names.end()});
    if (!near.empty()) text += fmt::format("; did you mean {{{}}}?", near);
  }
  reader.error(value, std::move(text));
}

/// As it is read once the daemon has entered its working directory.
std::string file_from_here(const std::string& auth, const std::string& folder) {
  const auto file = http::AuthFile::path_of(auth);
  if (folder.empty() || file.starts_with('/')) return auth;
  return fmt::format("{}{}/{}", auth.substr(0, auth.size() - file.size()), folder, file);
}

void check_auth(Reader& reader, const json::Value& value, const std::string& auth,
                const ServerConfig& config) {
  if (auth.empty()) return;
  const Reader::Step step(reader, "auth");
  const auto loaded = http::AuthFile::load(file_from_here(auth, config.daemon.working_directory));
  if (!loaded) {
    reader.error(value, loaded.error());
  } else if (loaded->slow_line != 0 && config.tasks.threads == 0) {
    reader.error(value, fmt::format("\"{}\": line {}: a hash of this kind needs a task thread, and "
                                    "\"task_processes\" is 0",
                                    http::AuthFile::path_of(auth), loaded->slow_line));
  }
}

}  // namespace

void add_surround_keys(Table<RouteOptions>& table) {
  const auto live = Reload::kLive;
  table
      .key("run_on", &RouteOptions::run_on_tasks, Choice<bool>{{{"loop", false}, {"tasks", true}}},
           live,
           "\"tasks\": on a task thread, of task_processes; the handlers \"text\", \"status\", "
           "\"redirect\" and \"plugin:NAME\"")
      .only_if(answers_itself, kAnswersItself);
  table
      .key("middleware", in(&RouteOptions::around, &SurroundOptions::middleware), MiddlewareNames{},
           live, "around all that follows, the first outermost")
      .only_if(answers_itself, kAnswersItself);
  table
      .key("rate_limit", in(&RouteOptions::around, &SurroundOptions::rate_limit), RateText{}, live,
           "of each client, over all I/O threads; 429 above it; empty = no limit")
      .only_if(answers_itself, kAnswersItself);
  table
      .key("auth", in(&RouteOptions::around, &SurroundOptions::auth),
           Text{.what = "text", .objection = object_to_auth}, live,
           "who is let in: \"basic:FILE\" with NAME:PASSWORD lines or a file of htpasswd, or "
           "\"bearer:FILE\" with a token a line; not for everybody to read; empty = all")
      .only_if(answers_itself, kAnswersItself);
}

bool answers_itself(const RouteOptions& route) { return route.handler != "rewrite"; }

void add_target_keys(Table<RouteOptions>& table) {
  table
      .key("to", &RouteOptions::to,
           Text{.length_max = http::TargetTemplate::kSizeMax, .what = "a target"}, Reload::kLive,
           "another path, with the `{name}` parts of `match`; for a redirect also a URL. Keeps the "
           "query unless it has a \"?\"")
      .only_if(leads_elsewhere, "the handlers \"redirect\" and \"rewrite\"");
}

void check_target(Reader& reader, const json::Value& value, RouteOptions& route) {
  if (!leads_elsewhere(route)) return;
  const json::Value* to = value.find("to");
  if (to == nullptr) {
    reader.error(value, fmt::format("the handler \"{}\" needs the key \"to\"", route.handler));
  } else if (to->string() != nullptr && route.to == *to->string()) {
    const Reader::Step step(reader, "to");
    check_to(reader, *to, route);
  }
  if (route.handler != "redirect") return;
  const json::Value* status = value.find("status");
  constexpr std::array kStatuses{301, 302, 303, 307, 308};
  if (status == nullptr) {
    route.answer.status = kStatuses[0];
  } else if (std::ranges::find(kStatuses, route.answer.status) == kStatuses.end()) {
    const Reader::Step step(reader, "status");
    reader.out_of_range(*status, "301, 302, 303, 307 or 308");
  }
}

void check_run_on(Reader& reader, const json::Value& value, const RouteOptions& route) {
  if (!route.run_on_tasks || can_leave_loop(route)) return;
  const json::Value* run_on = value.find("run_on");
  const Reader::Step step(reader, "run_on");
  reader.error(run_on != nullptr ? *run_on : value,
               fmt::format("the handler \"{}\" runs on the loop", route.handler));
}

void check_routes(Reader& reader, const json::Value& root, ServerConfig& config) {
  const json::Value* http = root.find("http");
  const json::Value* list = http != nullptr ? http->find("routes") : nullptr;
  const json::Array* entries = list != nullptr ? list->array() : nullptr;
  if (entries == nullptr || entries->size() != config.routes.size()) return;
  const Reader::Step outer(reader, "http");
  const Reader::Step routes(reader, "routes");
  for (std::size_t i = 0; i < entries->size(); ++i) {
    const Reader::Step step(reader, std::to_string(i));
    RouteOptions& route = config.routes[i];
    make_room(reader, root, (*entries)[i], route);
    if (const json::Value* auth = (*entries)[i].find("auth"))
      check_auth(reader, *auth, route.around.auth, config);
    const json::Value* run_on = (*entries)[i].find("run_on");
    if (run_on != nullptr && route.run_on_tasks && config.tasks.threads == 0) {
      const Reader::Step key(reader, "run_on");
      reader.error(*run_on, "there is no task thread: \"task_processes\" is 0");
    }
  }
}

}  // namespace ssx::config
