// Cross-origin resource sharing (Fetch Standard 3.2): which pages of other origins may read
// answers, and ask what a plain link or form could not.
//
// Thread: as Middleware
// Owner:  -
// Life:   -
// Bounds: CorsOptions' lists; a preflight names at the most what a field line holds
//
// It answers preflights itself, also where the path has no route for OPTIONS. Requests of origins
// that are not allowed reach the handler like those of any client: it is the browser that keeps the
// answer from the page. This is no access control.
#pragma once

#include "http/middleware.h"
#include "http/options.h"

namespace ssx::http {

/// `enabled` does not count here: whoever calls it wants it.
[[nodiscard]] Middleware cors(const CorsOptions& options);

}  // namespace ssx::http
