// Whether texts that come in pieces are UTF-8 (RFC 6455 8.1), 64 bytes at a time.
//
// Thread: loop-only; a value
// Owner:  a session, for the message that is being read
// Life:   reset() to the end of the message, or to the first piece that is refused
// Bounds: four bytes of state, whatever the length; reads exactly the bytes it is given
//
// A piece is refused when it holds the first byte with which no text could go on, complete or not:
// the A0 of "ED A0" and the 90 of "F4 90" too. All instruction sets give the same answers.
#pragma once

#include <string_view>

#include "ssxrver/base/bytes.h"
#include "ssxrver/base/isa.h"
#include "ssxrver/base/utf8.h"

namespace ssx::websocket {

class Utf8Validator {
 public:
  /// False when the bytes fed since reset() are no UTF-8, whatever may follow; then it stays so.
  [[nodiscard]] bool feed(ByteView bytes, Isa isa = best_isa()) noexcept;

  /// Whether the text may end here: no character is cut off, and nothing was refused.
  [[nodiscard]] bool is_complete() const noexcept { return !failed_ && steps_.complete(); }

  void reset() noexcept { *this = Utf8Validator(); }

 private:
  [[nodiscard]] bool take(std::string_view bytes) noexcept;

  Utf8Steps steps_;  ///< within a character that a piece has cut
  bool failed_ = false;
};

/// Whether a whole text is UTF-8.
[[nodiscard]] bool is_utf8(ByteView text, Isa isa = best_isa()) noexcept;

}  // namespace ssx::websocket
