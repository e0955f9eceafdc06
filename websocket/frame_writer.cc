#include "websocket/frame_writer.h"

#include <cstring>
#include <span>

#include "websocket/mask.h"

namespace ssx::websocket {

std::string make_frame(Opcode opcode, ByteView payload, bool compressed) {
  const FrameHeader header{
      .opcode = opcode, .compressed = compressed, .payload_size = payload.size()};
  std::string frame;
  frame.reserve(header_size(header) + payload.size());
  frame.resize(header_size(header));
  encode_header(header, std::as_writable_bytes(std::span(frame)));
  frame.append(as_text(payload));
  return frame;
}

void append_header(OutQueue& out, Opcode opcode, std::size_t payload_size) {
  const FrameHeader header{.opcode = opcode, .payload_size = payload_size};
  out.commit(encode_header(header, out.reserve(header_size(header))));
}

void append_frame(OutQueue& out, Opcode opcode, ByteView payload, FrameBits bits) {
  const FrameHeader header{.opcode = opcode,
                           .fin = bits.fin,
                           .compressed = bits.compressed,
                           .masked = bits.key.has_value(),
                           .payload_size = payload.size(),
                           .key = bits.key.value_or(MaskKey{})};
  const std::size_t begin = header_size(header);
  const MutableBytes room = out.reserve(begin + payload.size());
  encode_header(header, room);
  if (header.masked) {
    copy_masked(payload, room.data() + begin, header.key, 0);
  } else if (!payload.empty()) {
    std::memcpy(room.data() + begin, payload.data(), payload.size());
  }
  out.commit(begin + payload.size());
}

}  // namespace ssx::websocket
