// Reads frames as they come (RFC 6455 5) and hands on what is in them, in place: data in pieces,
// control frames whole.
//
// Thread: loop-only; holds no bytes of its own
// Owner:  a session
// Life:   from the upgrade to kFailed or to a close frame, behind which nothing is to be parsed
// Bounds: FrameLimits, refused by the header alone; 131 bytes at the most are left unconsumed
//
// The same bytes give the same messages and the same error however they are cut into pieces. Text
// is not looked at, and nothing is inflated: see utf8.h, and deflate.h for the length of a
// compressed message, which is not bounded here but for its frames.
#pragma once

#include <cstddef>
#include <cstdint>

#include "ssxrver/base/bytes.h"
#include "websocket/error.h"
#include "websocket/frame.h"

namespace ssx::websocket {

struct FrameLimits {
  std::size_t frame_max;              ///< of a data frame: kFrameTooLong
  std::size_t message_max;            ///< when it is not compressed: kMessageTooLong
  std::uint32_t fragments_max;        ///< data frames of one message: kTooManyFragments
  std::uint32_t empty_fragments_max;  ///< in a row: kTooManyEmptyFragments
};

class FrameParser {
 public:
  enum class Found : std::uint8_t {
    kNeedMore,  ///< call again with what was not consumed and what follows it
    kPiece,     ///< of a message; the session reads on for the rest of it
    kControl,   ///< a ping, pong or close
    kFailed,    ///< never again: what follows cannot be framed
  };

  struct Parsed {
    Found found = Found::kNeedMore;
    Errc error = Errc::kOk;     ///< kFailed: why
    std::size_t consumed = 0;   ///< of the bytes given, header and payload
    MutableBytes payload = {};  ///< unmasked in place; a piece is empty when its whole frame is
    Opcode opcode = Opcode::kContinuation;  ///< kPiece: of the message; kControl: its own
    bool begins = false;                    ///< kPiece: the first of its message
    bool ends = false;                      ///< kPiece: the last of its message
    bool compressed = false;                ///< kPiece: the message is compressed
    std::uint64_t frame_rest = 0;           ///< kPiece: bytes of its frame that are still to come
  };

  /// `limits` must outlive the parser. `may_compress`: permessage-deflate was negotiated.
  FrameParser(const FrameLimits& limits, Role role, bool may_compress) noexcept
      : limits_(&limits), role_(role), may_compress_(may_compress) {}

  /// Finds one thing in `bytes`, which begin with the first that was not consumed before. Until it
  /// says kNeedMore there may be more to find in what is left.
  [[nodiscard]] Parsed next(MutableBytes bytes) noexcept;

  /// Between two messages, and not within a frame: no byte of a next message was consumed.
  [[nodiscard]] bool between_messages() const noexcept { return message_ == Opcode::kContinuation; }

 private:
  [[nodiscard]] Errc check_first(std::byte first) const noexcept;
  [[nodiscard]] Errc check_limits(const FrameHeader& header) const noexcept;
  [[nodiscard]] Parsed read_header(MutableBytes bytes) noexcept;
  void begin_frame(const FrameHeader& header) noexcept;
  [[nodiscard]] Parsed take_whole(MutableBytes bytes, const DecodedHeader& decoded) const noexcept;
  [[nodiscard]] Parsed take_piece(MutableBytes bytes, std::size_t payload_at, bool begins) noexcept;
  [[nodiscard]] Parsed fail(Errc error) noexcept;

  const FrameLimits* limits_;
  std::uint64_t frame_rest_ = 0;    ///< payload of the data frame that is still to come
  std::uint64_t message_size_ = 0;  ///< as its headers told, when it is not compressed
  MaskKey key_ = {};                ///< for the next byte of the payload
  std::uint32_t fragments_ = 0;     ///< of the message, this frame too
  std::uint32_t empty_ = 0;         ///< of these, the empty ones since the last that was not
  Opcode message_ = Opcode::kContinuation;  ///< kText or kBinary within a message
  std::uint8_t error_ = 0;                  ///< an Errc
  Role role_;
  bool may_compress_ : 1;
  bool compressed_ : 1 = false;  ///< the message
  bool fin_ : 1 = false;         ///< the frame is the last of its message
};

static_assert(sizeof(FrameParser) <= 40, "there is one for each connection");

}  // namespace ssx::websocket
