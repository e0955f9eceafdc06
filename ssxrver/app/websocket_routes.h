// The handlers of WebSockets that `http.routes` can name: websocket:echo,
// websocket:sink, websocket:broadcast, websocket:chat.
//
// Thread: before the App runs
// Owner:  the App that they are added to
// Life:   that of the App
// Bounds: WebSocketRouteOptions
#pragma once

#include <optional>

#include "http/handler.h"
#include "ssxrver/app/app.h"
#include "ssxrver/app/route_options.h"

namespace ssx {

/// For GET. Nothing when none is called so.
[[nodiscard]] std::optional<http::Handler> make_websocket_handler(App& app,
                                                                  const RouteOptions& route);

}  // namespace ssx
