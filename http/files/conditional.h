// Conditional requests (RFC 9110 13): is what the client has still good?
//
// Thread: pure functions
// Owner:  -
// Life:   -
// Bounds: -
#pragma once

#include <cstdint>
#include <string_view>

#include "http/request.h"

namespace ssx::http {

/// Whether 304 answers a GET or HEAD of something with this entity tag ("" = none) and this time of
/// change. If-None-Match is compared weakly and, when it is there, If-Modified-Since is not looked
/// at.
[[nodiscard]] bool is_not_modified(const Request& request, std::string_view etag,
                                   std::int64_t modified);

/// Whether a list of entity tags (RFC 9110 13.1.2) names this one, weakly compared, or is "*".
[[nodiscard]] bool matches_any(std::string_view list, std::string_view etag);

}  // namespace ssx::http
