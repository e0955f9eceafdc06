#include "websocket/frame_writer.h"

#include <cstring>

namespace ssx::websocket {

void append_frame(OutQueue& out, Opcode opcode, ByteView payload, FrameBits bits) {
  const FrameHeader header{.opcode = opcode,
                           .fin = bits.fin,
                           .compressed = bits.compressed,
                           .payload_size = payload.size()};
  const std::size_t begin = header_size(header);
  const MutableBytes room = out.reserve(begin + payload.size());
  encode_header(header, room);
  if (!payload.empty()) std::memcpy(room.data() + begin, payload.data(), payload.size());
  out.commit(begin + payload.size());
}

}  // namespace ssx::websocket
