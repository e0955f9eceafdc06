// The names that a program on ssxrver needs, in one include and one namespace.
//
// Thread: -
// Owner:  -
// Life:   -
// Bounds: -
#pragma once

#include <array>
#include <span>

#include "http/middleware.h"
#include "http/request.h"
#include "http/response.h"
#include "ssxrver/app/app.h"
#include "ssxrver/base/log.h"
#include "ssxrver/coro/task.h"
#include "ssxrver/net/awaitables.h"
#include "ssxrver/net/spawn.h"
#include "ssxrver/net/task_pool.h"
#include "ssxrver/net/tcp_stream.h"

namespace ssx {

using http::AsyncNext;
using http::BodyMode;
using http::BodyWriter;
using http::Method;
using http::Middleware;
using http::Next;
using http::Request;
using http::Response;
using http::Status;
using net::TcpStream;

}  // namespace ssx
