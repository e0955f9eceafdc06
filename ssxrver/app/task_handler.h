// Lets a handler that blocks run on a task thread (RunOn::kTasks). (i)
//
// Thread: the handler that is made: any worker's loop
// Owner:  the route
// Life:   work that was begun ends, whatever becomes of its connection
// Bounds: TaskOptions::queue_limit; above it 503
#pragma once

#include <memory>

#include "http/handler.h"

namespace ssx::net {
class TaskPool;
}

namespace ssx {

/// `pool` is filled in before the first request. `handler` is a function, not a coroutine.
[[nodiscard]] http::Handler run_on_tasks(const std::unique_ptr<net::TaskPool>& pool,
                                         http::Handler handler);

}  // namespace ssx
