// Writes frames: those of a client masked, those of a server as they are (RFC 6455 5.1).
//
// Thread: loop-only
// Owner:  -
// Life:   -
// Bounds: a payload is copied behind its header, whatever its size
#pragma once

#include <optional>
#include <string>

#include "ssxrver/base/bytes.h"
#include "ssxrver/base/out_queue.h"
#include "websocket/frame.h"

namespace ssx::websocket {

struct FrameBits {
  bool fin = true;                  ///< the last of its message, as every control frame is
  bool compressed = false;          ///< RSV1: the first of a compressed message (RFC 7692 6)
  std::optional<MaskKey> key = {};  ///< a client's; a new one for each frame (5.3)
};

/// The whole frame, of a server.
[[nodiscard]] std::string make_frame(Opcode opcode, ByteView payload, bool compressed = false);

/// A server's header of a message in one frame: the payload is the caller's business.
void append_header(OutQueue& out, Opcode opcode, std::size_t payload_size);

/// The whole frame.
void append_frame(OutQueue& out, Opcode opcode, ByteView payload, FrameBits bits = {});

}  // namespace ssx::websocket
