// As basic_auth, for passwords that are stored as htpasswd and crypt(5) store them
// (ssxrver/crypt/password_hash.h): hashes that take milliseconds by design, on a task thread.
//
// Thread: as Middleware
// Owner:  it holds hashes, no passwords
// Life:   longer than no request; the pool outlives the server's loops
// Bounds: BasicAuthOptions::kUsersMax users; one hash per login and worker in LoginCache::kTime;
//         for wrong ones as many as TaskOptions::queue_limit lets wait: put a rate_limit before
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "http/middleware.h"
#include "http/middleware/basic_auth.h"
#include "ssxrver/base/result.h"

namespace ssx::net {
class TaskPool;
}

namespace ssx::http {

/// Called on a loop when the first hash is to be made; the pool has threads.
using TaskPoolOf = std::function<net::TaskPool&()>;

/// Also takes what basic_auth() does. A name that is not known takes as long as one that is. Never
/// computed on a loop: 503 when the queue of the task threads is full, 500 when there are none.
/// kInvalidArgument as basic_auth(), or an error of the system's source of random numbers.
[[nodiscard]] Result<Middleware> htpasswd_auth(const BasicAuthOptions& options, TaskPoolOf pool);

/// Whether basic_auth() would take this for a password, and htpasswd_auth() knows the hash.
[[nodiscard]] bool is_slow_hash(std::string_view word);

}  // namespace ssx::http
