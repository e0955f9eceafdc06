// Says to the operator why a server could not be created, and what to do about it.
//
// Thread: any thread
// Owner:  -
// Life:   -
// Bounds: one sentence
#pragma once

#include "ssxrver/base/startup_error.h"
#include "ssxrver/net/tcp_server.h"

namespace ssx {

[[nodiscard]] StartupError explain_listen_failure(const net::TcpServer::Failure& failure);

}  // namespace ssx
