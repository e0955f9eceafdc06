// What a route of the configuration says whatever its handler is: its limits, and what surrounds
// it.
//
// Thread: before the App runs
// Owner:  the routes that it is used for
// Life:   the middleware refers to the App
// Bounds: RouteOptions
#pragma once

#include <vector>

#include "http/middleware.h"
#include "ssxrver/app/app.h"
#include "ssxrver/app/route_options.h"
#include "ssxrver/app/route_settings.h"
#include "ssxrver/base/startup_error.h"

namespace ssx {

/// Without middleware.
[[nodiscard]] RouteSettings settings_of(const RouteOptions& route);

/// Its `middleware`, `rate_limit` and `auth`. Routes that share it have one rate together. The
/// error names the route and what is wrong with it: a file of passwords that is not there.
StartupResult<std::vector<http::Middleware>> surround(App& app, const RouteOptions& route);

}  // namespace ssx
