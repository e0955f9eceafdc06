// The header of one frame (RFC 6455 5.2), written and read.
//
// Thread: pure functions
// Owner:  -
// Life:   -
// Bounds: kHeaderMax bytes; lengths below 2^63
//
// What cannot become a good header is refused by the first byte that proves it, whether or not the
// rest has come.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "ssxrver/base/bytes.h"
#include "websocket/error.h"

namespace ssx::websocket {

enum class Opcode : std::uint8_t { kContinuation, kText, kBinary, kClose = 8, kPing, kPong };

[[nodiscard]] constexpr bool is_control(Opcode opcode) noexcept { return opcode >= Opcode::kClose; }

/// Which of the two we are: who reads as a server wants masks, who reads as a client wants none.
enum class Role : std::uint8_t { kServer, kClient };

using MaskKey = std::array<std::byte, 4>;

inline constexpr std::size_t kHeaderMax = 14;           ///< 2, a length of 8, a mask
inline constexpr std::size_t kControlPayloadMax = 125;  ///< of ping, pong and close (5.5)

struct FrameHeader {
  Opcode opcode = Opcode::kContinuation;
  bool fin = true;
  bool compressed = false;  ///< RSV1: the message is compressed (RFC 7692 6)
  bool masked = false;
  std::uint64_t payload_size = 0;
  MaskKey key = {};  ///< when masked
  bool operator==(const FrameHeader&) const = default;
};

/// The bytes that encode_header() writes.
[[nodiscard]] constexpr std::size_t header_size(const FrameHeader& header) noexcept {
  const std::size_t length = header.payload_size < 126 ? 0 : header.payload_size <= 0xFFFF ? 2 : 8;
  return 2 + length + (header.masked ? sizeof(MaskKey) : 0);
}

/// Writes `header`, its length in as few bytes as it needs, and returns how many bytes it has.
/// `to` has room for header_size(header). It must be one that the peer may be sent: a control
/// frame is not compressed, has fin and at most kControlPayloadMax bytes.
std::size_t encode_header(const FrameHeader& header, MutableBytes to) noexcept;

struct DecodedHeader {
  Errc error = Errc::kOk;
  std::size_t size = 0;  ///< 0 with kOk: more bytes are needed
  FrameHeader header = {};
};

/// Reads the header at the front of `bytes`, as `role` and with RSV1 only where it `may_compress`.
/// Whether the frame may come now (5.4) and how long it may be, the caller decides.
[[nodiscard]] DecodedHeader decode_header(ByteView bytes, Role role, bool may_compress) noexcept;

namespace internal {

constexpr Errc judge_first_byte(unsigned first, bool may_compress) noexcept {
  const bool fin = (first & 0x80) != 0;
  const bool rsv1 = (first & 0x40) != 0;
  const unsigned opcode = first & 0x0F;
  if ((first & 0x30) != 0 || (rsv1 && !may_compress)) return Errc::kReservedBits;
  if ((opcode & 7) > 2) return Errc::kBadOpcode;
  // RFC 7692 6.1: the first frame of a message says it for all of them, and control frames are
  // never compressed.
  if (rsv1 && opcode != 1 && opcode != 2) return Errc::kReservedBits;
  return opcode >= 8 && !fin ? Errc::kFragmentedControl : Errc::kOk;
}

// [may_compress][first byte]
inline constexpr auto kFirstByteErrors = [] {
  std::array<std::array<std::uint8_t, 256>, 2> errors{};
  for (unsigned first = 0; first < 256; ++first) {
    errors[0][first] = static_cast<std::uint8_t>(judge_first_byte(first, false));
    errors[1][first] = static_cast<std::uint8_t>(judge_first_byte(first, true));
  }
  return errors;
}();

}  // namespace internal

/// What the first byte of a header alone says: kReservedBits, kBadOpcode, kFragmentedControl or
/// kOk. The first step of decode_header(), for who has more to say about that byte.
[[nodiscard]] inline Errc check_first_byte(std::byte first, bool may_compress) noexcept {
  const auto& errors = internal::kFirstByteErrors[may_compress ? 1 : 0];
  return static_cast<Errc>(errors[std::to_integer<unsigned>(first)]);
}

}  // namespace ssx::websocket
