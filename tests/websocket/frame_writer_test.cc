#include "websocket/frame_writer.h"

#include <gtest/gtest.h>

#include <array>
#include <span>
#include <string>

#include "websocket/mask.h"

namespace ssx::websocket {
namespace {

std::string bytes_of(const OutQueue& queue) {
  std::array<ByteView, 64> parts;
  std::string bytes;
  for (std::size_t i = 0, count = queue.gather(parts); i < count; ++i) bytes += as_text(parts[i]);
  return bytes;
}

// RFC 6455 5.2: three forms of the length.
TEST(FrameWriter, WritesHeadersOfEveryLength) {
  for (const std::size_t size : {0U, 1U, 125U, 126U, 65535U, 65536U, 100000U}) {
    const std::string payload(size, 'x');
    OutQueue queue;
    append_frame(queue, Opcode::kBinary, as_bytes(payload));
    const std::string bytes = bytes_of(queue);
    const auto decoded = decode_header(as_bytes(bytes), Role::kClient, false);
    EXPECT_EQ(decoded.header, (FrameHeader{.opcode = Opcode::kBinary, .payload_size = size}));
    EXPECT_TRUE(std::string_view(bytes).substr(decoded.size) == payload) << size;
    OutQueue header;
    append_header(header, Opcode::kBinary, size);
    EXPECT_TRUE(bytes_of(header) + payload == bytes) << size;
  }
}

TEST(FrameWriter, SaysWhatAFrameIsOfItsMessage) {
  OutQueue queue;
  append_frame(queue, Opcode::kText, as_bytes("a"), {.fin = false, .compressed = true});
  append_frame(queue, Opcode::kContinuation, as_bytes("b"), {.fin = true});
  EXPECT_EQ(bytes_of(queue),
            "\x41\x01"
            "a\x80\x01"
            "b");
}

TEST(FrameWriter, MasksWhatAClientSays) {
  const MaskKey key{std::byte{1}, std::byte{2}, std::byte{3}, std::byte{4}};
  OutQueue queue;
  append_frame(queue, Opcode::kText, as_bytes("hello"), {.key = key});
  std::string bytes = bytes_of(queue);
  const auto decoded = decode_header(as_bytes(bytes), Role::kServer, false);
  EXPECT_TRUE(decoded.header.masked);
  EXPECT_EQ(decoded.header.key, key);
  const auto payload = std::as_writable_bytes(std::span(bytes)).subspan(decoded.size);
  apply_mask(payload, key, 0);
  EXPECT_EQ(as_text(payload), "hello");
}

}  // namespace
}  // namespace ssx::websocket
