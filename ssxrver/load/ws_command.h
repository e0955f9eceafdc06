// What `ssxrver-bench ws` was asked to do.
//
// Thread: the main thread
// Owner:  main
// Life:   the process
// Bounds: those of CommonOptions
#pragma once

#include <cstdint>

#include "ssxrver/base/startup_error.h"
#include "ssxrver/load/common_options.h"
#include "ssxrver/load/ws_plan.h"

namespace ssx::load {

/// A server that sends each message back. CommonOptions::each: a handshake, a message, a closing
/// handshake, and the next.
struct WsOptions : CommonOptions {
  std::uint64_t size = 64;  ///< of a message
  std::uint64_t bytes = 0;  ///< above 0: of a message whose frames have `size`; any answer will do
  bool broadcast = false;   ///< what one connection sends, the server sends to all the others
};

/// With a handshake put together and the name of the host looked up. The error is a sentence.
StartupResult<WsPlan> make_plan(const WsOptions& options);

/// Carries it out; an exit status.
StartupResult<int> run_ws(const WsOptions& options);

}  // namespace ssx::load
