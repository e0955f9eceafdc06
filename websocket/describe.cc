#include "websocket/describe.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string_view>

#include "ssxrver/base/log_record.h"
#include "websocket/close_code.h"

namespace ssx::websocket {
namespace {

std::string_view name_of(Opcode opcode) noexcept {
  switch (opcode) {
    case Opcode::kContinuation:
      return "continuation";
    case Opcode::kText:
      return "text";
    case Opcode::kBinary:
      return "binary";
    case Opcode::kClose:
      return "close";
    case Opcode::kPing:
      return "ping";
    case Opcode::kPong:
      return "pong";
  }
  return "unknown";
}

void append_hex(ByteView bytes, std::string& out) {
  for (const std::byte byte : bytes) {
    fmt::format_to(std::back_inserter(out), "{:02x}", std::to_integer<unsigned>(byte));
  }
}

// A close frame begins with two bytes of code; what follows is text.
void append_sample(Opcode opcode, ByteView sample, std::string& out) {
  if (opcode == Opcode::kText) return log::append_escaped(as_text(sample), out);
  if (opcode != Opcode::kClose || sample.size() < 2) return append_hex(sample, out);
  fmt::format_to(std::back_inserter(out), "{}", load_big_endian<std::uint16_t>(sample.data()));
  if (sample.size() == 2) return;
  out += ' ';
  log::append_escaped(as_text(sample.subspan(2)), out);
}

}  // namespace

std::string describe(Opcode opcode, ByteView payload) {
  return describe(FrameHeader{.opcode = opcode, .payload_size = payload.size()}, payload);
}

std::string describe(const FrameHeader& header, ByteView payload) {
  std::string out(name_of(header.opcode));
  if (!header.fin) out += ", more follows";
  if (header.compressed) out += ", compressed";
  if (header.masked) out += ", masked";
  fmt::format_to(std::back_inserter(out), ", {} byte{}", header.payload_size,
                 header.payload_size == 1 ? "" : "s");
  if (payload.empty()) return out;
  const ByteView sample = payload.first(std::min(payload.size(), kSampleMax));
  out += ": ";
  append_sample(header.compressed ? Opcode::kBinary : header.opcode, sample, out);
  if (sample.size() < header.payload_size) out += "...";
  return out;
}

}  // namespace ssx::websocket
