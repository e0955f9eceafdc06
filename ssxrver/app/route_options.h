// One entry of `http.routes` with all that its handler may need, of whatever protocol.
//
// Thread: immutable once validated
// Owner:  whoever adds the route; copied into it
// Life:   longer than the server
// Bounds: every field says its range
#pragma once

#include <cstdint>

#include "http/route_options.h"
#include "ssxrver/json/json.h"
#include "websocket/options.h"

namespace ssx {

/// The `websocket` object, and the keys of a route whose handler begins with `websocket:`.
struct WebSocketRouteOptions {
  enum class ParseMode : std::uint8_t {
    kWindow,  ///< whole messages
    kStream,  ///< pieces, as they come
  };

  bool enabled = true;                        ///< `enabled`: off = 404
  ParseMode parse_mode = ParseMode::kWindow;  ///< `parse_mode`: what `websocket:echo` sends back
  websocket::Options limits;                  ///< every other key
  std::uint32_t history = 0;                  ///< `history` of a route with `websocket:chat`
  bool operator==(const WebSocketRouteOptions&) const = default;
};

/// What a route leaves out, it takes from `http`, `http.static` and `websocket`: every field here
/// is final.
struct RouteOptions : http::RouteOptions {
  WebSocketRouteOptions websocket;
  /// Of a route for a plugin, the keys that it has itself: {"timeouts": {"handler": true}}. What it
  /// leaves out is the plugin's to choose.
  json::Value given = json::Object();
  bool operator==(const RouteOptions&) const = default;
};

}  // namespace ssx
