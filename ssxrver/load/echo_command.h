// What `ssxrver-bench tcp` and `ssxrver-bench udp` were asked to do.
//
// Thread: the main thread
// Owner:  main
// Life:   the process
// Bounds: those of CommonOptions
#pragma once

#include <cstdint>

#include "ssxrver/base/startup_error.h"
#include "ssxrver/load/common_options.h"
#include "ssxrver/load/echo_plan.h"

namespace ssx::load {

/// A server that sends back the bytes it is sent. `url` is HOST:PORT.
struct EchoOptions : CommonOptions {
  std::uint64_t size = 64;  ///< of a message
};
struct TcpOptions : EchoOptions {};
/// Each datagram begins with its number. CommonOptions::timeout: then it is lost.
struct UdpOptions : EchoOptions {};

/// With the name of the host looked up. The error is a sentence.
StartupResult<EchoPlan> make_plan(const TcpOptions& options);
StartupResult<EchoPlan> make_plan(const UdpOptions& options);

/// Carries it out; an exit status.
StartupResult<int> run_tcp(const TcpOptions& options);
StartupResult<int> run_udp(const UdpOptions& options);

}  // namespace ssx::load
