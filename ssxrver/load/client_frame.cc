#include "ssxrver/load/client_frame.h"

#include <cstddef>
#include <span>

#include "ssxrver/base/bytes.h"
#include "websocket/mask.h"

namespace ssx::load {

std::string make_client_frame(websocket::Opcode opcode, bool fin, std::string_view payload,
                              const websocket::MaskKey& key) {
  const websocket::FrameHeader header{
      .opcode = opcode, .fin = fin, .masked = true, .payload_size = payload.size(), .key = key};
  const std::size_t before = websocket::header_size(header);
  std::string frame(before + payload.size(), '\0');
  const MutableBytes bytes = std::as_writable_bytes(std::span(frame));
  websocket::encode_header(header, bytes);
  websocket::copy_masked(as_bytes(payload), bytes.data() + before, key, 0);
  return frame;
}

}  // namespace ssx::load
