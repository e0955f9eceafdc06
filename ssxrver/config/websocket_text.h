// The keys of `websocket`, read out of a text that is no configuration: what a plugin chooses.
//
// Thread: any thread
// Owner:  -
// Life:   one call
// Bounds: json::ParseLimits of the text
#pragma once

#include <string>
#include <string_view>

#include "ssxrver/app/route_options.h"
#include "ssxrver/base/result.h"

namespace ssx::config {

/// `base`, and on top of it the members of a JSON object; of "" `base` alone. The error has a
/// sentence for each problem, with its place in the text.
[[nodiscard]] Expected<WebSocketRouteOptions, std::string> read_websocket_options(
    std::string_view text, const WebSocketRouteOptions& base);

}  // namespace ssx::config
