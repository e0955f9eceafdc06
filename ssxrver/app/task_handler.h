// Lets a handler that blocks run on a task thread (RunOn::kTasks). (i)
//
// Thread: the handler that is made: any worker's loop
// Owner:  the route
// Life:   work that was begun ends, whatever becomes of its connection: Request::stop_token() tells
// Bounds: TaskOptions::queue_limit; above it 503, with Retry-After (answer_to_error())
#pragma once

#include <memory>

#include "http/handler.h"
#include "ssxrver/net/disposal.h"

namespace ssx::net {
class TaskPool;
}

namespace ssx {

/// `pool` is filled in before the first request. `handler` is a function, not a coroutine; work may
/// outlive its route, and then `disposal` has the end of it.
[[nodiscard]] http::Handler run_on_tasks(const std::unique_ptr<net::TaskPool>& pool,
                                         net::Disposal& disposal, http::Handler handler);

}  // namespace ssx
