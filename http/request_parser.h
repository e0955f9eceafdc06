// Reads the head of one request (RFC 9112 2 to 6), strictly and incrementally.
//
// Thread: loop-only; holds no memory of its own
// Owner:  whoever parses; trivially copyable, so that it can be put aside with an incomplete head
// Life:   reset() to kDone or kFailed, then reset() again
// Bounds: ParserLimits, all of them; each has an Errc and through status_of() a status
//
// The same bytes give the same verdict however they are cut into pieces: a limit is hit by the
// first byte beyond it, whether or not that byte came with others; those of the path, which is a
// part of the target, at the end of the request line.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <type_traits>

#include "http/error.h"
#include "http/framing.h"
#include "http/head.h"
#include "http/options.h"
#include "http/scan.h"

namespace ssx::http {

enum class Progress : std::uint8_t {
  kNeedMore,  ///< all bytes were good so far; the message is not complete
  kDone,      ///< complete
  kFailed,    ///< never feed it again: what follows cannot be framed
};

class RequestParser {
 public:
  struct Parsed {
    Progress progress = Progress::kNeedMore;
    Errc error = Errc::kOk;     ///< kFailed: why. Answer status_of(error), then close.
    std::size_t head_size = 0;  ///< kDone: where the body, or the next request, begins
  };

  /// `limits` must outlive the parser and its copies; head_max <= 64 KiB, field_count_max <= 256.
  /// `isa`: no better than what the CPU has; all of them give the same verdicts.
  explicit RequestParser(const ParserLimits& limits, Isa isa = best_isa()) noexcept;

  /// `bytes` begins with the first byte of the message and holds everything received of it so far
  /// (and perhaps more: pipelined requests). It may lie elsewhere at every call; what was looked at
  /// before is not looked at again. `head` must be the same object, or a copy of it, until kDone.
  [[nodiscard]] Parsed parse(std::string_view bytes, Head& head) noexcept;

  /// Ready for the next message. The next parse() clears its Head by itself.
  void reset() noexcept;

  /// True when nothing of a message has been seen yet (leading empty lines do not count): the time
  /// to close an idle connection without an answer.
  [[nodiscard]] bool idle() const noexcept;

  /// Bytes of the message that have been looked at.
  [[nodiscard]] std::size_t consumed() const noexcept { return position_; }

 private:
  struct Machine;
  enum class Phase : std::uint8_t { kStart, kMethod, kTarget, kVersion, kField, kDone, kFailed };

  const ParserLimits* limits_;
  Isa isa_;                          ///< the scans to use
  std::uint32_t position_ = 0;       ///< offset of the next byte to look at
  std::uint32_t line_ = 0;           ///< offset of the line being read
  std::uint32_t value_ = 0;          ///< offset of the field value being read
  std::uint32_t query_ = 0;          ///< offset of the first "?" of the target; 0 = none
  std::uint32_t method_size_ = 0;    ///< size of the method
  std::uint32_t leading_lines_ = 0;  ///< empty lines before the request
  std::uint16_t name_size_ = 0;      ///< size of the field name being read
  ConnectionOptions connection_;     ///< what Connection said so far
  bool path_escaped_ = false;        ///< there is a "%" before the query
  bool query_escaped_ = false;       ///< there is a "%" in the query
  bool plain_ = false;               ///< the path has no "//" and no "/."
  std::uint8_t state_ = 0;           ///< of the Ragel machine
  Phase phase_ = Phase::kStart;      ///< the element being read, which decides limit and error
};

static_assert(std::is_trivially_copyable_v<RequestParser>);

}  // namespace ssx::http
