#include "websocket/prepared.h"

#include <utility>

#include "websocket/frame_writer.h"

namespace ssx::websocket {

PreparedMessage::PreparedMessage(Opcode opcode, ByteView payload) {
  std::string bytes = make_frame(opcode, payload);
  const std::size_t header = bytes.size() - payload.size();
  frame_ = std::make_shared<const Frame>(Frame{opcode, header, std::move(bytes)});
}

}  // namespace ssx::websocket
