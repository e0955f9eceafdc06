#include "websocket/frame.h"

#include <algorithm>
#include <cstring>

#include "ssxrver/base/assert.h"

namespace ssx::websocket {
namespace {

constexpr unsigned kFin = 0x80;
constexpr unsigned kRsv1 = 0x40;
constexpr unsigned kOpcode = 0x0F;
constexpr unsigned kMask = 0x80;
constexpr unsigned kLength = 0x7F;
constexpr unsigned kLengthOf2 = 126;  // the length follows in 2 bytes
constexpr unsigned kLengthOf8 = 127;
constexpr std::uint64_t kFirstOf8 = 0x10000;  // the shortest that needs 8

Errc check_second_byte(unsigned second, Role role, Opcode opcode) noexcept {
  const bool masked = (second & kMask) != 0;
  if (role == Role::kServer && !masked) return Errc::kUnmasked;
  if (role == Role::kClient && masked) return Errc::kMasked;
  const bool too_long = (second & kLength) > kControlPayloadMax;
  return is_control(opcode) && too_long ? Errc::kControlTooLong : Errc::kOk;
}

// A length behind the second byte, or the beginning of one.
Errc check_length(unsigned form, ByteView length) noexcept {
  if (form == kLengthOf2) {
    const bool short_one =
        length.size() >= 2 && load_big_endian<std::uint16_t>(length.data()) < kLengthOf2;
    return short_one ? Errc::kLengthNotMinimal : Errc::kOk;
  }
  if (!length.empty() && std::to_integer<unsigned>(length[0]) >= 0x80) return Errc::kLengthTooLarge;
  // Six zeros are enough to know that two bytes would have done.
  const auto is_zero = [](std::byte byte) { return byte == std::byte{0}; };
  const bool short_one = length.size() >= 6 && std::ranges::all_of(length.first(6), is_zero);
  return short_one ? Errc::kLengthNotMinimal : Errc::kOk;
}

}  // namespace

std::size_t encode_header(const FrameHeader& header, MutableBytes to) noexcept {
  const std::size_t size = header_size(header);
  const std::uint64_t length = header.payload_size;
  SSX_ASSERT(to.size() >= size, to.size(), size);
  SSX_ASSERT(length >> 63 == 0);
  SSX_ASSERT(!is_control(header.opcode) ||
             (header.fin && !header.compressed && length <= kControlPayloadMax));

  to[0] = static_cast<std::byte>((header.fin ? kFin : 0) | (header.compressed ? kRsv1 : 0) |
                                 static_cast<unsigned>(header.opcode));
  std::size_t at = 2;
  auto second = static_cast<unsigned>(length);
  if (length >= kFirstOf8) {
    second = kLengthOf8;
    store_big_endian(&to[2], length);
    at = 10;
  } else if (length >= kLengthOf2) {
    second = kLengthOf2;
    store_big_endian(&to[2], static_cast<std::uint16_t>(length));
    at = 4;
  }
  to[1] = static_cast<std::byte>((header.masked ? kMask : 0) | second);
  if (header.masked) std::memcpy(&to[at], header.key.data(), sizeof(MaskKey));
  return size;
}

// One object from beginning to end, made where the caller wants it: a copy would wait for the bytes
// that have just been written.
DecodedHeader decode_header(ByteView bytes, Role role, bool may_compress) noexcept {
  DecodedHeader decoded;
  if (bytes.empty()) return decoded;
  decoded.error = check_first_byte(bytes[0], may_compress);
  if (decoded.error != Errc::kOk || bytes.size() < 2) return decoded;

  FrameHeader& header = decoded.header;
  const auto first = std::to_integer<unsigned>(bytes[0]);
  const auto second = std::to_integer<unsigned>(bytes[1]);
  header.opcode = static_cast<Opcode>(first & kOpcode);
  header.fin = (first & kFin) != 0;
  header.compressed = (first & kRsv1) != 0;
  header.masked = (second & kMask) != 0;
  decoded.error = check_second_byte(second, role, header.opcode);
  if (decoded.error != Errc::kOk) return decoded;

  std::uint64_t length = second & kLength;
  std::size_t key_at = 2;
  if (length >= kLengthOf2) {
    decoded.error = check_length(second & kLength, bytes.subspan(2));
    key_at += length == kLengthOf2 ? 2 : 8;
    if (decoded.error != Errc::kOk || bytes.size() < key_at) return decoded;
    length = length == kLengthOf2 ? load_big_endian<std::uint16_t>(&bytes[2])
                                  : load_big_endian<std::uint64_t>(&bytes[2]);
  }
  header.payload_size = length;
  const std::size_t size = key_at + (header.masked ? sizeof(MaskKey) : 0);
  if (bytes.size() < size) return decoded;
  if (header.masked) std::memcpy(header.key.data(), &bytes[key_at], sizeof(MaskKey));
  decoded.size = size;
  return decoded;
}

}  // namespace ssx::websocket
