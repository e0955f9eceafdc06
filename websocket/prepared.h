// A message whose frame is made once, for many sockets on any worker.
//
// Thread: any thread
// Owner:  whoever holds one; they share what is inside
// Life:   any
// Bounds: its payload and a header of at most 10 bytes
//
//   const auto news = PreparedMessage::text(json);
//   for (auto* socket : readers) socket->send(news);
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "ssxrver/base/bytes.h"
#include "websocket/frame.h"
#include "websocket/message.h"

namespace ssx::websocket {

class PreparedMessage {
 public:
  [[nodiscard]] static PreparedMessage text(std::string_view text) {
    return {Opcode::kText, as_bytes(text)};
  }
  [[nodiscard]] static PreparedMessage binary(ByteView bytes) { return {Opcode::kBinary, bytes}; }
  [[nodiscard]] static PreparedMessage of(const Message& message) {
    return {message.opcode, message.bytes()};
  }

  [[nodiscard]] Opcode opcode() const noexcept { return frame_->opcode; }
  [[nodiscard]] ByteView payload() const noexcept { return frame().subspan(frame_->header); }
  /// As a server sends it: not masked, not compressed.
  [[nodiscard]] ByteView frame() const noexcept { return as_bytes(frame_->bytes); }
  /// Of the same call of text(), binary() or of().
  [[nodiscard]] bool is_same(const PreparedMessage& other) const noexcept {
    return frame_ == other.frame_;
  }

 private:
  struct Frame {
    Opcode opcode;
    std::size_t header;
    std::string bytes;
  };

  PreparedMessage(Opcode opcode, ByteView payload);

  std::shared_ptr<const Frame> frame_;
};

}  // namespace ssx::websocket
