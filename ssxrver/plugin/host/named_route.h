// A route that a plugin has named in create(), before it is made: the server's configuration may
// have its own to say of it.
//
// Thread: the control thread
// Owner:  the Instance
// Life:   create()
// Bounds: Instance::kRoutesMax
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "http/method.h"
#include "ssxrver/app/route_options.h"
#include "ssxrver/app/route_settings.h"
#include "ssxrver/base/result.h"

namespace ssx::plugins {

struct NamedRoute {
  std::vector<http::Method> methods;  ///< none: every method
  std::string pattern;                ///< the mount is in it
  RouteSettings settings;
  std::optional<WebSocketRouteOptions> websocket = {};  ///< of a route of WebSockets
};

/// Its requests again: as one route, or shared out by methods where they are not treated alike.
using RuledRoutes = Expected<std::vector<NamedRoute>, std::string>;
/// Of `all` routes of a plugin the one at `index`. The error is the end of a sentence about it.
using RouteRules = std::function<RuledRoutes(
    std::string_view plugin, const std::vector<NamedRoute>& all, std::size_t index)>;

}  // namespace ssx::plugins
