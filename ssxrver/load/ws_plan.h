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
  enum class Answer : std::uint8_t {
    kEcho,  ///< of as many bytes
    kAny,   ///< one message, such as how many bytes have come
    kAll,   ///< everybody who is connected is sent it, perhaps the sender too
  };

  std::string handshake;  ///< the request
  websocket::HandshakeKey key{};
  /// One message, binary and masked: the same bytes each time, which costs the load nothing. A
  /// client masks each frame anew (RFC 6455 5.3). It is the first frame, then so many times the
  /// middle one, then the last one, where there is one.
  std::string message;
  std::string middle_frame;
  std::uint64_t middle_frames = 0;
  std::string last_frame;
  std::uint64_t size = 64;  ///< of its payload
  Answer answer = Answer::kEcho;
};

}  // namespace ssx::load
