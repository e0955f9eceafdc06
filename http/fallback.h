// The answer to a request that no route is for: 404, 405 with Allow, or what OPTIONS is told; and
// to one that is sent from route to route without an end.
//
// Thread: any thread
// Owner:  -
// Life:   -
// Bounds: -
#pragma once

#include "http/request.h"
#include "http/response.h"

namespace ssx::http {

/// Of the methods that the path has routes for (Request::allowed()): none: 404. OPTIONS is told of
/// them with 204 (RFC 9110 9.3.7); for any other method 405 names them (RFC 9110 15.5.6).
[[nodiscard]] Response answer_without_route(const Request& request);

/// What a route that rewrites answers when it is reached after Route::kRewritesMax others: 500, and
/// a line in the log.
[[nodiscard]] Response answer_endless_rewrite(const Request& request);

}  // namespace ssx::http
