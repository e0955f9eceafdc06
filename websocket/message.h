// What a handler is given: a message, or a piece of one.
//
// Thread: loop-only
// Owner:  a view into the receive area, or into the block where the message was put together
// Life:   that of the call; for a coroutine, until it ends
// Bounds: Options::message_max; a piece is what one read brought of a frame
#pragma once

#include <string_view>

#include "ssxrver/base/bytes.h"
#include "websocket/frame.h"

namespace ssx::websocket {

struct Message {
  std::string_view payload;  ///< of a text: UTF-8, unless Options::utf8_check is off
  Opcode opcode = Opcode::kText;

  [[nodiscard]] bool is_text() const noexcept { return opcode == Opcode::kText; }
  [[nodiscard]] ByteView bytes() const noexcept { return as_bytes(payload); }
};

/// A text may be cut inside of a character.
struct Piece {
  std::string_view payload;
  Opcode opcode = Opcode::kText;
  bool begins = false;  ///< the first of its message
  bool ends = false;    ///< the last of its message

  [[nodiscard]] ByteView bytes() const noexcept { return as_bytes(payload); }
};

}  // namespace ssx::websocket
