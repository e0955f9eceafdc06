// What is made of an exception that a handler has thrown: a line in the log, a count, and a 500;
// and of an error that it was given.
//
// Thread: loop-only
// Owner:  -
// Life:   those of exceptions are called inside a catch block
// Bounds: one line per second and place
#pragma once

#include <chrono>

#include "http/request.h"
#include "http/response.h"
#include "ssxrver/base/error.h"

namespace ssx::http {

/// What a client is told to wait when the task pool is full: its queue is soon another one.
inline constexpr std::chrono::seconds kOverloadRetry{1};

/// Says in the log what was thrown, and by which route; the answer.
[[nodiscard]] Response answer_to_exception(const Request& request);

/// The same for a body whose head has been sent: there is nothing left to answer.
void report_exception(const Request& request);

/// There is no room for the work that would make the answer: kOverloaded, counted, with
/// Retry-After.
[[nodiscard]] Response answer_to_overload(const Request& request);

/// The status that the table of http/error.h has for it, counted under its name; for what the task
/// pool has no room for (net::Errc::kTaskQueueFull) answer_to_overload(). 500 and a line in the log
/// for an error of another kind.
///
///   const auto form = request.form();
///   if (!form) return answer_to_error(request, form.error());
[[nodiscard]] Response answer_to_error(const Request& request, const Error& error);

}  // namespace ssx::http
