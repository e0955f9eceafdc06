// One line about a message or a frame, for the debug log: "text, 12 bytes: hello there!".
//
// Thread: pure functions; they allocate what they return
// Owner:  the caller
// Life:   -
// Bounds: the first kSampleMax bytes of the payload are shown, escaped when it is text, otherwise
//         as hex
#pragma once

#include <cstddef>
#include <string>

#include "ssxrver/base/bytes.h"
#include "websocket/frame.h"

namespace ssx::websocket {

inline constexpr std::size_t kSampleMax = 100;

/// A message, whole and inflated, or the payload of a control frame.
[[nodiscard]] std::string describe(Opcode opcode, ByteView payload);

/// A frame of which `payload` has come, unmasked: "text, more follows, masked, 5 bytes: hello".
[[nodiscard]] std::string describe(const FrameHeader& header, ByteView payload);

}  // namespace ssx::websocket
