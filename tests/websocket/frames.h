// Frames as a client sends them, and what a server has said in a form that a test can compare.
#pragma once

#include <fmt/core.h>

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "websocket/close_frame.h"
#include "websocket/frame.h"
#include "websocket/mask.h"

namespace ssx::websocket::test {

struct FrameText {
  bool fin = true;
  bool compressed = false;
  bool masked = true;
};

/// A frame as a client sends it.
inline std::string frame(Opcode opcode, std::string_view payload, FrameText how = {}) {
  FrameHeader header{.opcode = opcode, .fin = how.fin, .compressed = how.compressed};
  header.masked = how.masked;
  header.payload_size = payload.size();
  header.key = {std::byte{0x12}, std::byte{0xEF}, std::byte{0x80}, std::byte{0x05}};
  std::string bytes(header_size(header), '\0');
  encode_header(header, std::as_writable_bytes(std::span(bytes)));
  std::string masked(payload);
  if (how.masked) apply_mask(std::as_writable_bytes(std::span(masked)), header.key, 0);
  return bytes + masked;
}
inline std::string text(std::string_view payload) { return frame(Opcode::kText, payload); }
inline std::string binary(std::string_view payload) { return frame(Opcode::kBinary, payload); }
inline std::string ping(std::string_view payload = "") { return frame(Opcode::kPing, payload); }
/// Pieces of one text.
inline std::string fragments(const std::vector<std::string_view>& pieces) {
  std::string bytes;
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    const Opcode opcode = i == 0 ? Opcode::kText : Opcode::kContinuation;
    bytes += frame(opcode, pieces[i], {.fin = i + 1 == pieces.size()});
  }
  return bytes;
}
inline std::string closing(std::uint16_t code, std::string_view reason = "") {
  std::string payload{static_cast<char>(code >> 8), static_cast<char>(code & 0xFF)};
  return frame(Opcode::kClose, payload.append(reason));
}

/// What a server has said, frame by frame: "text hello|pong |close 1000 bye|".
inline std::string show(std::string_view bytes) {
  static constexpr const char* kNames[] = {"more", "text", "binary", "",     "",    "",
                                           "",     "",     "close",  "ping", "pong"};
  std::string all;
  while (!bytes.empty()) {
    const DecodedHeader decoded = decode_header(as_bytes(bytes), Role::kClient, true);
    if (decoded.size == 0) return all + "(no frame)";
    bytes.remove_prefix(decoded.size);
    const std::string_view payload = bytes.substr(0, decoded.header.payload_size);
    bytes.remove_prefix(payload.size());
    all += kNames[static_cast<int>(decoded.header.opcode)];
    if (!decoded.header.fin) all += "...";
    if (decoded.header.compressed) all += "(compressed)";
    if (decoded.header.opcode == Opcode::kClose) {
      const ParsedClose close = parse_close(as_bytes(payload));
      all += fmt::format(" {} {}|", to_int(close.code), close.reason);
    } else {
      all.append(" ").append(payload).append("|");
    }
  }
  return all;
}

}  // namespace ssx::websocket::test
