#include "ssxrver/daemon/plugin_rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "http/path_routes.h"
#include "http/pattern_cover.h"
#include "http/router.h"
#include "ssxrver/app/configured_route.h"
#include "ssxrver/config/rule_keys.h"

namespace ssx {
namespace {

using http::Method;
using plugins::NamedRoute;

constexpr std::array kMethods{Method::kGet,    Method::kHead,    Method::kPost,  Method::kPut,
                              Method::kDelete, Method::kOptions, Method::kTrace, Method::kPatch};

bool is_of_websockets(const RouteOptions& rule) { return rule.handler.starts_with("websocket:"); }

http::MethodSet methods_of(const RouteOptions& rule) {
  http::MethodSet methods = rule.methods.empty() ? http::kEveryMethod : http::MethodSet{0};
  for (const std::string& name : rule.methods) methods |= method_bit(http::parse_method(name));
  return http::with_head(methods);
}

http::MethodSet methods_of(const NamedRoute& route) {
  http::MethodSet methods = route.methods.empty() ? http::kEveryMethod : http::MethodSet{0};
  for (const Method method : route.methods) methods |= method_bit(method);
  return methods;
}

std::string name_of(const RouteOptions& rule) {
  return fmt::format("the rule \"{}\" of {}", rule.match, rule.handler);
}

/// The paths that the rule and the route share go to a more specific route.
bool is_elsewhere(const RouteOptions& rule, const NamedRoute& route,
                  const std::vector<NamedRoute>& all) {
  const std::string shared = http::meet(rule.match, route.pattern);
  return std::ranges::any_of(all, [&](const NamedRoute& other) {
    return http::Router::is_same_host(other.settings.host, route.settings.host) &&
           http::is_more_specific(other.pattern, route.pattern) &&
           http::covers(other.pattern, shared);
  });
}

/// Why a rule that has some requests of `route` has not all of them; empty: it has.
std::string_view object_to_part(const RouteOptions& rule, const NamedRoute& route) {
  if (!rule.host.empty() && route.settings.host.empty()) return "it is for every host";
  if (!http::covers(rule.match, route.pattern)) return "it has other paths as well";
  return {};
}

bool shares_host(const RouteOptions& rule, const NamedRoute& route) {
  return rule.host.empty() || route.settings.host.empty() ||
         http::Router::is_same_host(rule.host, route.settings.host);
}

/// The options that the route would have without the rule.
RouteOptions options_of(const RouteOptions& rule, const NamedRoute& route) {
  RouteOptions options = rule;
  const auto take = [](auto& to, const auto& chosen) {
    if (chosen) to = *chosen;
  };
  const RouteSettings& settings = route.settings;
  options.run_on_tasks = settings.run_on == RunOn::kTasks;
  take(options.body_max, settings.body_max);
  take(options.timeouts.handler, settings.handler_timeout);
  take(options.websocket, route.websocket);
  return options;
}

}  // namespace

StartupResult<PluginRules> PluginRules::create(App& app, const std::vector<RouteOptions>& routes) {
  PluginRules made;
  for (const RouteOptions& route : routes) {
    if (!config::is_rule(route)) continue;
    auto around = surround(app, route);
    if (!around) return tl::unexpected(std::move(around).error());
    auto rule = std::make_unique<Rule>(Rule{route, {}, methods_of(route), *std::move(around)});
    rule->plugin = config::plugin_of(rule->options.handler);
    made.rules_.push_back(std::move(rule));
  }
  return made;
}

plugins::RuledRoutes PluginRules::apply(std::string_view plugin, const std::vector<NamedRoute>& all,
                                        std::size_t index) {
  const NamedRoute& route = all[index];
  auto rules = find_covering(plugin, all, route);
  if (!rules) return UnexpectedOf<std::string>(std::move(rules).error());
  Parts parts = divide(*rules, route.methods);
  std::vector<NamedRoute> ruled;
  for (auto& [rule, methods] : parts) {
    NamedRoute part = route;
    part.methods = std::move(methods);
    if (rule == nullptr) {
      ruled.push_back(std::move(part));
      continue;
    }
    auto made = rule_over(*rule, part);
    if (!made) return UnexpectedOf<std::string>(std::move(made).error());
    ruled.push_back(*std::move(made));
  }
  return ruled;
}

/// The most specific first; of two for the same paths the one for WebSockets.
Expected<std::vector<PluginRules::Rule*>, std::string> PluginRules::find_covering(
    std::string_view plugin, const std::vector<NamedRoute>& all, const NamedRoute& route) const {
  std::vector<Rule*> found;
  for (const auto& rule : rules_) {
    const RouteOptions& options = rule->options;
    const bool is_other = rule->plugin != plugin || !shares_host(options, route) ||
                          (is_of_websockets(options) && !route.websocket) ||
                          (rule->methods & methods_of(route)) == 0 ||
                          !http::overlaps(options.match, route.pattern);
    if (is_other || is_elsewhere(options, route, all)) continue;
    if (const auto why = object_to_part(options, route); !why.empty()) {
      return UnexpectedOf<std::string>(
          fmt::format("{} is for a part of it only: {}", name_of(options), why));
    }
    found.push_back(rule.get());
  }
  std::ranges::stable_sort(found, [](const Rule* a, const Rule* b) {
    if (a->options.host.empty() != b->options.host.empty()) return b->options.host.empty();
    if (http::is_more_specific(a->options.match, b->options.match)) return true;
    if (http::is_more_specific(b->options.match, a->options.match)) return false;
    return is_of_websockets(a->options) && !is_of_websockets(b->options);
  });
  return found;
}

PluginRules::Parts PluginRules::divide(const std::vector<Rule*>& rules,
                                       const std::vector<Method>& methods) {
  const auto rule_of = [&rules](Method method) -> Rule* {
    const auto found = std::ranges::find_if(
        rules, [method](const Rule* rule) { return (rule->methods & method_bit(method)) != 0; });
    return found == rules.end() ? nullptr : *found;
  };
  Parts parts;
  const bool has_every = methods.empty();
  const std::vector<Method> all =
      has_every ? std::vector<Method>(kMethods.begin(), kMethods.end()) : methods;
  for (const Method method : all) {
    Rule* const rule = rule_of(method);
    const auto same = std::ranges::find(parts, rule, &Parts::value_type::first);
    (same == parts.end() ? parts.emplace_back(rule, std::vector<Method>()) : *same)
        .second.push_back(method);
  }
  if (has_every && parts.size() == 1) parts.front().second.clear();
  return parts;
}

Expected<NamedRoute, std::string> PluginRules::rule_over(Rule& rule, const NamedRoute& route) {
  const auto options = config::put_over(rule.options, options_of(rule.options, route));
  if (!options) return UnexpectedOf<std::string>(options.error());
  NamedRoute ruled = route;
  ruled.settings = settings_of(*options);
  ruled.settings.host = route.settings.host;
  ruled.settings.body = route.settings.body;
  ruled.settings.decodes_body = route.settings.decodes_body;
  ruled.settings.middleware = rule.around;
  if (route.websocket) ruled.websocket = options->websocket;
  rule.is_used = true;
  return ruled;
}

std::vector<std::string> PluginRules::find_idle(const std::vector<PluginOptions>& plugins) const {
  std::vector<std::string> sentences;
  for (const auto& rule : rules_) {
    const auto plugin = std::ranges::find(plugins, rule->plugin, &PluginOptions::name);
    const bool is_on = plugin != plugins.end() && plugin->enabled;
    if (rule->is_used || !is_on) continue;
    sentences.push_back(
        fmt::format("http.routes: {} covers no route of the plugin; they stand "
                    "below \"{}\"",
                    name_of(rule->options), plugin->mount));
  }
  return sentences;
}

}  // namespace ssx
