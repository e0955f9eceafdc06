// Reads the head of one response (RFC 9112 2, 4 to 6), strictly and incrementally.
//
// Thread: loop-only; holds no memory of its own
// Owner:  whoever parses; trivially copyable
// Life:   reset(method) to kDone or kFailed, then reset() again
// Bounds: ParserLimits: request_line_max is that of the status line, the rest as for requests;
//         each has an Errc
//
// The same bytes give the same verdict however they are cut into pieces. The field lines are the
// grammar and the scans of RequestParser. A server in front of which two programs might disagree
// where a response ends is refused as a client would be: Content-Length twice or beside
// Transfer-Encoding, codings other than "chunked", Transfer-Encoding in HTTP/1.0.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <type_traits>

#include "http/client/response_head.h"
#include "http/error.h"
#include "http/framing.h"
#include "http/method.h"
#include "http/options.h"
#include "http/request_parser.h"
#include "http/scan.h"

namespace ssx::http {

class ResponseParser {
 public:
  using Parsed = RequestParser::Parsed;

  /// `limits` must outlive the parser and its copies; head_max <= 64 KiB, field_count_max <= 256.
  explicit ResponseParser(const ParserLimits& limits, Isa isa = best_isa()) noexcept;

  /// Ready for the next response, one to a request of this method: it decides the framing.
  void reset(Method request) noexcept;

  /// `bytes` begins with the first byte of the response and holds everything received of it so far
  /// (and perhaps more). It may lie elsewhere at every call. `head` must be the same object, or a
  /// copy of it, until kDone.
  [[nodiscard]] Parsed parse(std::string_view bytes, ResponseHead& head) noexcept;

  /// Bytes of the response that have been looked at.
  [[nodiscard]] std::size_t consumed() const noexcept { return position_; }

 private:
  struct Machine;
  enum class Phase : std::uint8_t { kVersion, kStatus, kReason, kField, kDone, kFailed };

  const ParserLimits* limits_;
  Isa isa_;  ///< the scans to use
  Method request_ = Method::kGet;
  std::uint32_t position_ = 0;     ///< offset of the next byte to look at
  std::uint32_t line_ = 0;         ///< offset of the line being read
  std::uint32_t value_ = 0;        ///< offset of the field value being read
  std::uint16_t name_size_ = 0;    ///< size of the field name being read
  ConnectionOptions connection_;   ///< what Connection said so far
  std::uint8_t state_ = 0;         ///< of the Ragel machine
  Phase phase_ = Phase::kVersion;  ///< the element being read, which decides limit and error
};

static_assert(std::is_trivially_copyable_v<ResponseParser>);

}  // namespace ssx::http
