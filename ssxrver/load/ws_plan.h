// What a load of WebSockets does.
//
// Thread: immutable once the Crew runs
// Owner:  the command
// Life:   longer than the Crew
// Bounds: those of LoadPlan
#pragma once

#include <cstdint>
#include <string>

#include "ssxrver/load/load_plan.h"
#include "websocket/handshake_key.h"

namespace ssx::load {

struct WsPlan : LoadPlan {
  std::string handshake;  ///< the request
  websocket::HandshakeKey key{};
  /// One message, a binary frame, masked: the same bytes each time, which costs the load nothing. A
  /// client masks each frame anew (RFC 6455 5.3).
  std::string message;
  std::uint64_t size = 64;    ///< of its payload; an answer has as many bytes
  bool says_nothing = false;  ///< each connection stands, and its one request is not answered
};

}  // namespace ssx::load
