// What a close frame holds: nothing, or a code and perhaps a reason (RFC 6455 5.5.1).
//
// Thread: pure functions
// Owner:  a reason is a view into the payload
// Life:   that of the payload
// Bounds: kControlPayloadMax bytes, of which kReasonMax are reason
#pragma once

#include <cstddef>
#include <string_view>

#include "ssxrver/base/bytes.h"
#include "websocket/close_code.h"
#include "websocket/error.h"
#include "websocket/frame.h"

namespace ssx::websocket {

inline constexpr std::size_t kReasonMax = kControlPayloadMax - 2;

struct ParsedClose {
  Errc error = Errc::kOk;                 ///< kBadCloseSize, kBadCloseCode, kBadUtf8
  CloseCode code = CloseCode::kNoStatus;  ///< as it was sent; kNoStatus when there is none
  std::string_view reason = {};           ///< UTF-8
};

/// Reads the payload of a close frame, unmasked.
[[nodiscard]] ParsedClose parse_close(ByteView payload) noexcept;

/// Writes such a payload and returns its size: none for kNoStatus, otherwise a code that
/// may_be_sent(), and of `reason` as many whole characters as fit, up to the first byte that is not
/// UTF-8. `to` has room for kControlPayloadMax, or for as much as this needs.
std::size_t write_close(CloseCode code, std::string_view reason, MutableBytes to) noexcept;

}  // namespace ssx::websocket
