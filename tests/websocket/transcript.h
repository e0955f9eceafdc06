// What was found in a stream of frames, and two ways to find it: with FrameParser, fed as a session
// feeds it, and with a reader that follows RFC 6455 byte by byte and shares no code with it.
//
// Thread: the test's
// Owner:  the transcript owns its texts
// Life:   -
// Bounds: the input
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "ssxrver/base/assert.h"
#include "websocket/frame_parser.h"

namespace ssx::websocket::test {

struct Message {
  Opcode opcode = Opcode::kText;
  bool compressed = false;
  bool whole = true;
  std::string payload = {};
  bool operator==(const Message&) const = default;
};

/// Messages and control frames in the order in which each began; at the end there may be one
/// message that is not whole.
struct Transcript {
  std::vector<Message> messages = {};
  Errc error = Errc::kOk;
  bool operator==(const Transcript&) const = default;
};

struct Reading {
  FrameLimits limits{
      .frame_max = 1 << 20, .message_max = 1 << 20, .fragments_max = 64, .empty_fragments_max = 4};
  Role role = Role::kServer;
  bool may_compress = false;
};

/// One frame, as a peer sends it.
inline std::string frame(Opcode opcode, std::string_view payload, bool fin = true,
                         bool masked = true, bool compressed = false) {
  constexpr std::string_view kKey = "\x12\xef\x80\x05";
  std::string text(
      1, static_cast<char>((fin ? 0x80 : 0) | (compressed ? 0x40 : 0) | static_cast<int>(opcode)));
  const std::size_t size = payload.size();
  const int mask = masked ? 0x80 : 0;
  const std::size_t bytes = size < 126 ? 0 : size < 65536 ? 2 : 8;
  text.push_back(static_cast<char>(mask | static_cast<int>(bytes == 0   ? size
                                                           : bytes == 2 ? std::size_t{126}
                                                                        : std::size_t{127})));
  for (std::size_t i = bytes; i > 0; --i) text.push_back(static_cast<char>(size >> (8 * (i - 1))));
  if (!masked) return text.append(payload);
  text.append(kKey);
  for (std::size_t i = 0; i < size; ++i) {
    text.push_back(static_cast<char>(payload[i] ^ kKey[i % 4]));
  }
  return text;
}

/// Joins the pieces, and checks what FrameParser promises of each.
class ParserReader {
 public:
  explicit ParserReader(const Reading& reading)
      : reading_(reading), parser_(reading_.limits, reading.role, reading.may_compress) {}

  void feed(std::string_view piece) {
    unread_ += piece;
    // Memory of exactly its size, so that a sanitizer sees one byte too far.
    const std::size_t size = unread_.size();
    const auto memory = std::make_unique<char[]>(size);
    std::ranges::copy(unread_, memory.get());
    MutableBytes bytes{reinterpret_cast<std::byte*>(memory.get()), size};
    while (transcript_.error == Errc::kOk) {
      const FrameParser::Parsed parsed = parser_.next(bytes);
      SSX_ASSERT(parsed.consumed <= bytes.size());
      if (parsed.found == FrameParser::Found::kNeedMore) {
        SSX_ASSERT(parsed.consumed == 0);
        break;
      }
      take(parsed);
      bytes = bytes.subspan(parsed.consumed);
    }
    if (transcript_.error == Errc::kOk) SSX_ASSERT(bytes.size() <= 131, bytes.size());
    unread_.erase(0, size - bytes.size());
  }

  [[nodiscard]] const Transcript& transcript() const noexcept { return transcript_; }

 private:
  using Found = FrameParser::Found;

  void take(const FrameParser::Parsed& parsed) {
    if (parsed.found == Found::kFailed) {
      transcript_.error = parsed.error;
      SSX_ASSERT(parsed.error != Errc::kOk && parsed.consumed == 0);
      std::array<std::byte, 2> more = {std::byte{0x89}, std::byte{0x80}};
      SSX_ASSERT(parser_.next(more).error == parsed.error);
      return;
    }
    SSX_ASSERT(parsed.consumed > 0);
    const std::string payload(as_text(parsed.payload));
    if (parsed.found == Found::kControl) {
      transcript_.messages.push_back({.opcode = parsed.opcode, .payload = payload});
      return;
    }
    if (parsed.begins) {
      SSX_ASSERT(open_ == kNone);
      open_ = transcript_.messages.size();
      transcript_.messages.push_back(
          {.opcode = parsed.opcode, .compressed = parsed.compressed, .whole = false});
    }
    SSX_ASSERT(open_ != kNone);
    Message& message = transcript_.messages[open_];
    SSX_ASSERT(message.opcode == parsed.opcode && message.compressed == parsed.compressed);
    message.payload += payload;
    SSX_ASSERT(parser_.between_messages() == parsed.ends);
    if (!parsed.ends) return;
    SSX_ASSERT(parsed.frame_rest == 0);
    message.whole = true;
    open_ = kNone;
  }

  static constexpr std::size_t kNone = ~std::size_t{0};

  Reading reading_;
  FrameParser parser_;
  std::string unread_;
  Transcript transcript_;
  std::size_t open_ = kNone;  ///< index of the message that is not whole
};

template <class Pieces>
Transcript parse_pieces(const Pieces& pieces, const Reading& reading) {
  ParserReader reader(reading);
  for (const std::string_view piece : pieces) reader.feed(piece);
  return reader.transcript();
}

inline Transcript parse_whole(std::string_view bytes, const Reading& reading) {
  return parse_pieces(std::array{bytes}, reading);
}

/// One byte at a time, each rule where its byte stands.
class ReferenceReader {
 public:
  explicit ReferenceReader(const Reading& reading) : reading_(reading) {}

  void feed(unsigned byte) {
    if (transcript_.error != Errc::kOk) return;
    if (payload_left_ > 0) return take_payload(byte);
    header_.push_back(byte);
    transcript_.error = judge();
    if (transcript_.error != Errc::kOk || header_.size() < header_size()) return;
    transcript_.error = begin();
    if (transcript_.error == Errc::kOk && payload_left_ == 0) end_of_frame();
  }

  [[nodiscard]] const Transcript& transcript() const noexcept { return transcript_; }

 private:
  unsigned opcode() const { return header_[0] & 15; }
  bool fin() const { return header_[0] >= 128; }
  bool control() const { return opcode() > 7; }
  unsigned length7() const { return header_[1] & 127; }
  bool masked() const { return header_[1] >= 128; }
  std::size_t length_bytes() const { return length7() == 126 ? 2 : length7() == 127 ? 8 : 0; }
  std::size_t header_size() const {
    return header_.size() < 2 ? 2 : 2 + length_bytes() + (masked() ? 4 : 0);
  }

  Errc judge() const {
    const unsigned last = header_.back();
    switch (header_.size()) {
      case 1: {
        if ((last & 0x30) != 0) return Errc::kReservedBits;
        if ((last & 0x40) != 0 && !reading_.may_compress) return Errc::kReservedBits;
        if (std::string_view("\0\1\2\10\11\12", 6).find(static_cast<char>(opcode())) ==
            std::string_view::npos) {
          return Errc::kBadOpcode;
        }
        if ((last & 0x40) != 0 && opcode() != 1 && opcode() != 2) return Errc::kReservedBits;
        if (control()) return fin() ? Errc::kOk : Errc::kFragmentedControl;
        if (opcode() == 0 && !within_) return Errc::kUnexpectedContinuation;
        if (opcode() != 0 && within_) return Errc::kExpectedContinuation;
        return Errc::kOk;
      }
      case 2:
        if (masked() != (reading_.role == Role::kServer)) {
          return masked() ? Errc::kMasked : Errc::kUnmasked;
        }
        return control() && length7() > 125 ? Errc::kControlTooLong : Errc::kOk;
      case 3:
        return length7() == 127 && last > 127 ? Errc::kLengthTooLarge : Errc::kOk;
      case 4:
        return length7() == 126 && header_[2] == 0 && last < 126 ? Errc::kLengthNotMinimal
                                                                 : Errc::kOk;
      case 8: {
        const bool zeros = std::all_of(header_.begin() + 2, header_.end(),
                                       [](unsigned byte) { return byte == 0; });
        return length7() == 127 && zeros ? Errc::kLengthNotMinimal : Errc::kOk;
      }
      default:
        return Errc::kOk;
    }
  }

  Errc begin() {
    std::uint64_t length = length7();
    if (length_bytes() != 0) length = 0;
    for (std::size_t i = 0; i < length_bytes(); ++i) length = length * 256 + header_[2 + i];
    payload_left_ = length;
    taken_ = 0;
    if (control()) {
      control_.clear();
      return Errc::kOk;
    }
    const FrameLimits& limits = reading_.limits;
    if (opcode() != 0) within_ = true, fresh_ = true, sum_ = frames_ = empties_ = 0;
    const bool compressed = fresh_ ? (header_[0] & 0x40) != 0 : compressed_;
    compressed_ = compressed;
    if (length > limits.frame_max) return Errc::kFrameTooLong;
    sum_ += length;
    if (!compressed && sum_ > limits.message_max) return Errc::kMessageTooLong;
    frames_ += 1;
    empties_ = length == 0 ? empties_ + 1 : 0;
    if (opcode() != 0 && fin()) return Errc::kOk;
    if (frames_ > limits.fragments_max) return Errc::kTooManyFragments;
    return empties_ > limits.empty_fragments_max ? Errc::kTooManyEmptyFragments : Errc::kOk;
  }

  /// The message is there once its first byte is, or that it has none.
  Message& message() {
    if (fresh_) {
      fresh_ = false;
      open_ = transcript_.messages.size();
      transcript_.messages.push_back(
          {.opcode = static_cast<Opcode>(opcode()), .compressed = compressed_, .whole = false});
    }
    return transcript_.messages[open_];
  }

  void take_payload(unsigned byte) {
    if (masked()) byte ^= header_[2 + length_bytes() + taken_ % 4];
    ++taken_;
    (control() ? control_ : message().payload).push_back(static_cast<char>(byte));
    if (--payload_left_ == 0) end_of_frame();
  }

  void end_of_frame() {
    if (control()) {
      transcript_.messages.push_back(
          {.opcode = static_cast<Opcode>(opcode()), .payload = control_});
    } else {
      Message& current = message();
      if (fin()) current.whole = true, within_ = false;
    }
    header_.clear();
  }

  Reading reading_;
  Transcript transcript_;
  std::vector<unsigned> header_;
  std::string control_;
  std::uint64_t payload_left_ = 0, taken_ = 0;
  std::uint64_t sum_ = 0, frames_ = 0, empties_ = 0;
  std::size_t open_ = 0;
  bool within_ = false, fresh_ = false, compressed_ = false;
};

inline Transcript read_by_reference(std::string_view bytes, const Reading& reading) {
  ReferenceReader reader(reading);
  for (const char byte : bytes) reader.feed(static_cast<unsigned char>(byte));
  return reader.transcript();
}

}  // namespace ssx::websocket::test
