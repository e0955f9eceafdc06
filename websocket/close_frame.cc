#include "websocket/close_frame.h"

#include <algorithm>
#include <cstdint>

#include "ssxrver/base/assert.h"
#include "ssxrver/base/utf8.h"

namespace ssx::websocket {

ParsedClose parse_close(ByteView payload) noexcept {
  if (payload.empty()) return {};
  if (payload.size() < sizeof(CloseCode)) return {.error = Errc::kBadCloseSize};
  const auto code = static_cast<CloseCode>(load_big_endian<std::uint16_t>(payload.data()));
  if (!may_be_sent(code)) return {.error = Errc::kBadCloseCode, .code = code};
  const std::string_view reason = as_text(payload.subspan(sizeof(CloseCode)));
  if (utf8_front(reason) != reason.size()) return {.error = Errc::kBadUtf8, .code = code};
  return {.code = code, .reason = reason};
}

std::size_t write_close(CloseCode code, std::string_view reason, MutableBytes to) noexcept {
  if (code == CloseCode::kNoStatus) return 0;
  SSX_ASSERT(may_be_sent(code), to_int(code));
  reason = reason.substr(0, kReasonMax);
  reason = reason.substr(0, utf8_front(reason));
  const std::size_t size = sizeof code + reason.size();
  SSX_ASSERT(to.size() >= size, to.size(), size);
  store_big_endian(to.data(), to_int(code));
  std::ranges::copy(as_bytes(reason), to.subspan(sizeof code).begin());
  return size;
}

}  // namespace ssx::websocket
