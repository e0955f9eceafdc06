// The routes of the configuration whose handler is a plugin: rules for the routes that the plugin
// names itself. Each of those is under the most specific rule that covers it, or under none.
//
// Thread: the control thread
// Owner:  the Daemon
// Life:   longer than the plugins; the middleware of a rule refers to the App
// Bounds: the routes of ServerConfig
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "http/method.h"
#include "http/middleware.h"
#include "ssxrver/app/app.h"
#include "ssxrver/base/startup_error.h"
#include "ssxrver/config/server_config.h"
#include "ssxrver/plugin/host/named_route.h"

namespace ssx {

class PluginRules {
 public:
  /// Makes what surrounds each rule, once: its routes have one rate together, over all reloads.
  static StartupResult<PluginRules> create(App& app, const std::vector<RouteOptions>& routes);

  /// As plugins::RouteRules has it. A rule that is for some paths or hosts of the route is an
  /// error, unless another route of the plugin has them; one for some of its methods divides it.
  [[nodiscard]] plugins::RuledRoutes apply(std::string_view plugin,
                                           const std::vector<plugins::NamedRoute>& all,
                                           std::size_t index);

  /// A sentence for each rule of these plugins that has covered nothing so far: it is misspelt.
  [[nodiscard]] std::vector<std::string> find_idle(const std::vector<PluginOptions>& plugins) const;

 private:
  struct Rule {
    RouteOptions options;
    std::string_view plugin;  ///< in options
    http::MethodSet methods;  ///< with HEAD where there is GET
    std::vector<http::Middleware> around;
    bool is_used = false;
  };
  using Parts = std::vector<std::pair<Rule*, std::vector<http::Method>>>;

  [[nodiscard]] Expected<std::vector<Rule*>, std::string> find_covering(
      std::string_view plugin, const std::vector<plugins::NamedRoute>& all,
      const plugins::NamedRoute& route) const;
  /// `rules`: the most specific first.
  [[nodiscard]] static Parts divide(const std::vector<Rule*>& rules,
                                    const std::vector<http::Method>& methods);
  [[nodiscard]] static Expected<plugins::NamedRoute, std::string> rule_over(
      Rule& rule, const plugins::NamedRoute& route);

  std::vector<std::unique_ptr<Rule>> rules_;
};

}  // namespace ssx
