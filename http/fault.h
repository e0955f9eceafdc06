// What is made of an exception that a handler has thrown: a line in the log, a count, and a 500.
//
// Thread: loop-only
// Owner:  -
// Life:   called inside a catch block
// Bounds: one line per second and place
#pragma once

#include "http/request.h"
#include "http/response.h"

namespace ssx::http {

/// Says in the log what was thrown, and by which route; the answer.
[[nodiscard]] Response answer_to_exception(const Request& request);

/// The same for a body whose head has been sent: there is nothing left to answer.
void report_exception(const Request& request);

}  // namespace ssx::http
