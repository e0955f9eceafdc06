// All that can be chosen about an App.
//
// Thread: immutable once the App runs
// Owner:  App
// Life:   that of the App
// Bounds: as in the options it is made of
#pragma once

#include <chrono>

#include "http/options.h"
#include "ssxrver/net/task_options.h"
#include "ssxrver/net/tcp_server.h"
#include "websocket/options.h"

namespace ssx {

struct AppOptions {
  /// Its listeners serve HTTP and come before those of App::listen(); its linger_timeout is
  /// http.timeouts.linger.
  net::TcpServerOptions server;
  http::HttpOptions http;
  net::TaskOptions tasks;
  websocket::ServiceOptions websockets;
  /// How long a polite end may take; then what is left is reset (`daemon.shutdown_timeout`).
  std::chrono::milliseconds shutdown_timeout{30000};
  /// While it ends, a connection without a request is closed after this time
  /// (`daemon.drain_idle_grace`). A peer that is just sending its next request gets its answer.
  std::chrono::milliseconds drain_idle_grace{5000};
};

}  // namespace ssx
