// Routes for plugins, "plugin:NAME" and "websocket:plugin:NAME": rules for the routes that the
// plugin has itself. What a rule leaves out is the plugin's to choose.
//
// Thread: any thread
// Owner:  -
// Life:   one call
// Bounds: RouteOptions
#pragma once

#include <string>
#include <string_view>

#include "ssxrver/app/route_options.h"
#include "ssxrver/base/result.h"
#include "ssxrver/json/json.h"

namespace ssx::config {

/// NAME of the handlers "plugin:NAME" and "websocket:plugin:NAME"; empty: another handler.
[[nodiscard]] std::string_view plugin_of(std::string_view handler) noexcept;
[[nodiscard]] inline bool is_rule(const RouteOptions& route) noexcept {
  return !plugin_of(route.handler).empty();
}

/// For RouteOptions::given: the keys of an object, without what says which requests it is for.
[[nodiscard]] json::Value given_keys(const json::Value& route);
/// Of a rule that was written with every key those that it has, and which requests it is for.
void keep_given(const RouteOptions& rule, json::Value& written);

/// `base`, and over it what `rule` has given. The error says which limits do not go together.
[[nodiscard]] Expected<RouteOptions, std::string> put_over(const RouteOptions& rule,
                                                           RouteOptions base);

}  // namespace ssx::config
