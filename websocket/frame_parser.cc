#include "websocket/frame_parser.h"

#include <algorithm>

#include "websocket/mask.h"

namespace ssx::websocket {

FrameParser::Parsed FrameParser::next(MutableBytes bytes) noexcept {
  if (error_ != 0) return fail(static_cast<Errc>(error_));
  if (bytes.empty()) return {};
  return frame_rest_ != 0 ? take_piece(bytes, 0, false) : read_header(bytes);
}

FrameParser::Parsed FrameParser::read_header(MutableBytes bytes) noexcept {
  if (const Errc error = check_first(bytes[0]); error != Errc::kOk) return fail(error);
  const DecodedHeader decoded = decode_header(bytes, role_, may_compress_);
  if (decoded.error != Errc::kOk) return fail(decoded.error);
  if (decoded.size == 0) return {};
  const FrameHeader& header = decoded.header;
  const bool is_here = header.payload_size <= bytes.size() - decoded.size;
  if (is_control(header.opcode)) return is_here ? take_whole(bytes, decoded) : Parsed();

  if (const Errc error = check_limits(header); error != Errc::kOk) return fail(error);
  const bool begins = header.opcode != Opcode::kContinuation;
  if (begins && header.fin && is_here) return take_whole(bytes, decoded);
  // A header waits for the first byte behind it: so it is a part of a piece, and not a state.
  if (header.payload_size != 0 && bytes.size() == decoded.size) return {};
  begin_frame(header);
  return take_piece(bytes, decoded.size, begins);
}

// 5.4: the first byte tells whether a frame may come now.
Errc FrameParser::check_first(std::byte first) const noexcept {
  if (const Errc error = check_first_byte(first, may_compress_); error != Errc::kOk) return error;
  const auto opcode = static_cast<Opcode>(first & std::byte{0x0F});
  if (is_control(opcode)) return Errc::kOk;
  const bool continues = opcode == Opcode::kContinuation;
  if (continues == !between_messages()) return Errc::kOk;
  return continues ? Errc::kUnexpectedContinuation : Errc::kExpectedContinuation;
}

Errc FrameParser::check_limits(const FrameHeader& header) const noexcept {
  const bool begins = header.opcode != Opcode::kContinuation;
  const bool compressed = begins ? header.compressed : compressed_;
  const std::uint64_t before = begins ? 0 : message_size_;
  if (header.payload_size > limits_->frame_max) return Errc::kFrameTooLong;
  if (!compressed && header.payload_size > limits_->message_max - before) {
    return Errc::kMessageTooLong;
  }
  if (begins && header.fin) return Errc::kOk;
  if ((begins ? 0 : fragments_) >= limits_->fragments_max) return Errc::kTooManyFragments;
  if (header.payload_size == 0 && (begins ? 0 : empty_) >= limits_->empty_fragments_max) {
    return Errc::kTooManyEmptyFragments;
  }
  return Errc::kOk;
}

void FrameParser::begin_frame(const FrameHeader& header) noexcept {
  if (header.opcode != Opcode::kContinuation) {
    message_ = header.opcode;
    compressed_ = header.compressed;
    message_size_ = 0;
    fragments_ = empty_ = 0;
  }
  ++fragments_;
  empty_ = header.payload_size == 0 ? empty_ + 1 : 0;
  if (!compressed_) message_size_ += header.payload_size;
  frame_rest_ = header.payload_size;
  fin_ = header.fin;
  key_ = header.key;
}

// Of a frame that is a whole thing and all here nothing has to be remembered.
FrameParser::Parsed FrameParser::take_whole(MutableBytes bytes,
                                            const DecodedHeader& decoded) const noexcept {
  const FrameHeader& header = decoded.header;
  const auto size = static_cast<std::size_t>(header.payload_size);
  const MutableBytes payload = bytes.subspan(decoded.size, size);
  if (role_ == Role::kServer) apply_mask(payload, header.key, 0);
  const bool is_message = !is_control(header.opcode);
  return {.found = is_message ? Found::kPiece : Found::kControl,
          .consumed = decoded.size + size,
          .payload = payload,
          .opcode = header.opcode,
          .begins = is_message,
          .ends = is_message,
          .compressed = header.compressed};
}

FrameParser::Parsed FrameParser::take_piece(MutableBytes bytes, std::size_t payload_at,
                                            bool begins) noexcept {
  const std::size_t size = std::min<std::uint64_t>(bytes.size() - payload_at, frame_rest_);
  const MutableBytes payload = bytes.subspan(payload_at, size);
  frame_rest_ -= size;
  if (role_ == Role::kServer) {
    apply_mask(payload, key_, 0);
    if (frame_rest_ != 0) std::ranges::rotate(key_, key_.begin() + size % key_.size());
  }
  const Parsed piece{.found = Found::kPiece,
                     .consumed = payload_at + size,
                     .payload = payload,
                     .opcode = message_,
                     .begins = begins,
                     .ends = fin_ && frame_rest_ == 0,
                     .compressed = compressed_,
                     .frame_rest = frame_rest_};
  if (piece.ends) message_ = Opcode::kContinuation;
  return piece;
}

FrameParser::Parsed FrameParser::fail(Errc error) noexcept {
  error_ = static_cast<std::uint8_t>(error);
  return {.found = Found::kFailed, .error = error};
}

}  // namespace ssx::websocket
