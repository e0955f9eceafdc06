#include "websocket/frame.h"

#include <algorithm>

#include "ssxrver/base/assert.h"

namespace ssx::websocket {
namespace {

constexpr unsigned kFin = 0x80;
constexpr unsigned kRsv1 = 0x40;
constexpr unsigned kRsv2And3 = 0x30;
constexpr unsigned kOpcode = 0x0F;
constexpr unsigned kMask = 0x80;
constexpr unsigned kLength = 0x7F;
constexpr unsigned kLengthOf2 = 126;  // the length follows in 2 bytes
constexpr unsigned kLengthOf8 = 127;
constexpr std::uint64_t kFirstOf8 = 0x10000;  // the shortest that needs 8

struct Length {
  Errc error = Errc::kOk;
  std::size_t size = 0;  // of what it takes behind the second byte
  bool complete = false;
  std::uint64_t value = 0;
};

Length read_length_of_2(ByteView bytes) noexcept {
  if (bytes.size() < 2) return {};
  const auto value = load_big_endian<std::uint16_t>(bytes.data());
  if (value < kLengthOf2) return {.error = Errc::kLengthNotMinimal};
  return {.size = 2, .complete = true, .value = value};
}

Length read_length_of_8(ByteView bytes) noexcept {
  if (!bytes.empty() && std::to_integer<unsigned>(bytes[0]) >= 0x80) {
    return {.error = Errc::kLengthTooLarge};
  }
  // Six zeros are enough to know that two bytes would have done.
  const auto is_zero = [](std::byte byte) { return byte == std::byte{0}; };
  if (bytes.size() >= 6 && std::ranges::all_of(bytes.first(6), is_zero)) {
    return {.error = Errc::kLengthNotMinimal};
  }
  if (bytes.size() < 8) return {};
  return {.size = 8, .complete = true, .value = load_big_endian<std::uint64_t>(bytes.data())};
}

Errc check_second_byte(unsigned second, Role role, Opcode opcode) noexcept {
  const bool masked = (second & kMask) != 0;
  if (role == Role::kServer && !masked) return Errc::kUnmasked;
  if (role == Role::kClient && masked) return Errc::kMasked;
  const bool too_long = (second & kLength) > kControlPayloadMax;
  return is_control(opcode) && too_long ? Errc::kControlTooLong : Errc::kOk;
}

Length read_length(unsigned second, ByteView behind) noexcept {
  const unsigned length = second & kLength;
  if (length == kLengthOf2) return read_length_of_2(behind);
  if (length == kLengthOf8) return read_length_of_8(behind);
  return {.complete = true, .value = length};
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
  if (header.masked) std::ranges::copy(header.key, to.subspan(at).begin());
  return size;
}

Errc check_first_byte(std::byte byte, bool may_compress) noexcept {
  const auto first = std::to_integer<unsigned>(byte);
  const unsigned opcode = first & kOpcode;
  if ((first & kRsv2And3) != 0) return Errc::kReservedBits;
  if ((first & kRsv1) != 0 && !may_compress) return Errc::kReservedBits;
  if ((opcode & 7) > 2) return Errc::kBadOpcode;
  // RFC 7692 6.1: the first frame of a message says it for all of them, and control frames are
  // never compressed.
  const bool begins = opcode == 1 || opcode == 2;
  if ((first & kRsv1) != 0 && !begins) return Errc::kReservedBits;
  const bool control = opcode >= 8;
  return control && (first & kFin) == 0 ? Errc::kFragmentedControl : Errc::kOk;
}

DecodedHeader decode_header(ByteView bytes, Role role, bool may_compress) noexcept {
  if (bytes.empty()) return {};
  const Errc first_error = check_first_byte(bytes[0], may_compress);
  if (first_error != Errc::kOk) return {.error = first_error};
  if (bytes.size() < 2) return {};

  const auto first = std::to_integer<unsigned>(bytes[0]);
  const auto second = std::to_integer<unsigned>(bytes[1]);
  FrameHeader header{.opcode = static_cast<Opcode>(first & kOpcode),
                     .fin = (first & kFin) != 0,
                     .compressed = (first & kRsv1) != 0,
                     .masked = (second & kMask) != 0};
  const Errc second_error = check_second_byte(second, role, header.opcode);
  if (second_error != Errc::kOk) return {.error = second_error};

  const Length length = read_length(second, bytes.subspan(2));
  if (length.error != Errc::kOk) return {.error = length.error};
  if (!length.complete) return {};
  header.payload_size = length.value;
  const std::size_t key_at = 2 + length.size;
  if (!header.masked) return {.size = key_at, .header = header};
  if (bytes.size() < key_at + sizeof(MaskKey)) return {};
  std::ranges::copy(bytes.subspan(key_at, sizeof(MaskKey)), header.key.begin());
  return {.size = key_at + sizeof(MaskKey), .header = header};
}

}  // namespace ssx::websocket
