// Serves the files below a directory.
//
// Thread: the handler is called on every worker; each has a cache of its own
// Owner:  the Router (through the Handler)
// Life:   that of the server
// Bounds: StaticOptions
//
// The file's name is the rest that the route's `*` matched, or the whole path for a route without.
// "/dir" is redirected to "/dir/", which is answered with the first index file that is there.
// Segments that begin with a dot are not served, but for "/.well-known/" (RFC 8615).
#pragma once

#include "http/handler.h"
#include "http/options.h"
#include "ssxrver/base/result.h"

namespace ssx::http {

/// An error when `root` is no directory that can be read.
Result<Handler> make_static_handler(const StaticOptions& options);

}  // namespace ssx::http
