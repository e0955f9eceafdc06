// The handlers that `http.routes` can name: static, text, echo, status, redirect, rewrite, and
// those of websocket_routes.h.
//
// Thread: before the App runs
// Owner:  the App that they are added to
// Life:   that of the App
// Bounds: RouteOptions
#pragma once

#include "ssxrver/app/app.h"
#include "ssxrver/app/route_options.h"
#include "ssxrver/base/startup_error.h"

namespace ssx {

/// Adds one route. The error names the route and what is wrong with it: a root that is not there, a
/// pattern that is none.
StartupResult<void> add_route(App& app, const RouteOptions& route);

}  // namespace ssx
