// The grammar of a chunked body (RFC 9112 7.1), all of it but the data: the machine stops in front
// of a chunk's data, next() hands that out, and the machine goes on behind it.
//
// Sizes, extensions and trailers are short and rare, so they are counted byte by byte; a limit is
// then hit by the same byte however the body is cut into pieces.

#include "http/chunked_decoder.h"

#include <algorithm>
#include <limits>

#include "ssxrver/base/assert.h"

namespace ssx::http {
namespace {

constexpr std::uint32_t kSizeDigitsMax = 16;
constexpr std::uint64_t kSizeMax = std::numeric_limits<std::int64_t>::max();

%% machine chunked_body;
%% write data nofinal noentry;

constexpr std::uint64_t hex_value(char digit) noexcept {
  const auto letter = static_cast<std::uint64_t>(digit) & 0x40U;
  return (static_cast<std::uint64_t>(digit) & 15U) + (letter != 0 ? 9 : 0);
}

}  // namespace

struct ChunkedDecoder::Machine {
  static Errc refused(Phase phase) noexcept {
    switch (phase) {
      case Phase::kSize: return Errc::kBadChunkSize;
      case Phase::kExtension: return Errc::kBadChunkExtension;
      case Phase::kDataEnd: return Errc::kBadChunkEnd;
      case Phase::kTrailer: return Errc::kBadTrailer;
      case Phase::kDone:
      case Phase::kFailed: break;
    }
    SSX_UNREACHABLE();
  }

  static bool too_much_overhead(const ChunkedDecoder& self) noexcept {
    const ParserLimits& limits = *self.limits_;
    std::uint64_t allowed = 0;
    return !__builtin_mul_overflow(limits.chunk_overhead_ratio, self.body_, &allowed) &&
           !__builtin_add_overflow(limits.chunk_overhead_base, allowed, &allowed) &&
           self.overhead_ > allowed;
  }

  // Reads framing from `p` on: to the data of a chunk, to the end of the body, or to `pe`.
  // `trailer` is where the trailer section begins in it, or null.
  static Errc run(ChunkedDecoder& self, const char*& p, const char* pe,
                  const char*& trailer) noexcept;
};

%%{
  action begin_size { self.size_ = 0, self.count_ = 0; }
  action take_digit {
    self.size_ = self.size_ << 4 | hex_value(*p);
    if (++self.count_ > kSizeDigitsMax || self.size_ > kSizeMax) {
      error = Errc::kBadChunkSize;
      fbreak;
    }
  }
  action begin_extension { self.count_ = 0, self.phase_ = Phase::kExtension; }
  action count_extension {
    if (++self.count_ > limits.chunk_extension_max) {
      error = Errc::kChunkExtensionTooLong;
      fbreak;
    }
  }
  action end_size_line {
    self.count_ = 0;
    if (self.size_ == 0) {
      self.phase_ = Phase::kTrailer;
      trailer = p + 1;
      fgoto trailer_section;
    }
    self.phase_ = Phase::kDataEnd;
    self.left_ = self.size_;
    fbreak;
  }
  action end_data { self.phase_ = Phase::kSize; }

  action begin_trailer {
    if (++self.trailers_ > limits.trailer_count_max) {
      error = Errc::kTooManyTrailers;
      fbreak;
    }
  }
  action count_trailer {
    if (++self.count_ > limits.trailer_max) {
      error = Errc::kTrailerTooLong;
      fbreak;
    }
  }
  action finish {
    self.phase_ = Phase::kDone;
    fbreak;
  }

  tchar = alnum | [!#$%&'*+\-.^_`|~];
  obs_text = any - ascii;
  field_vchar = 0x21..0x7e | obs_text;

  # Bad whitespace is read and ignored, as RFC 9110 5.6.3 asks; there is none before CRLF.
  bws = [ \t]*;
  quoted_pair = '\\' (field_vchar | [ \t]);
  quoted_string = '"' ((field_vchar - ["\\]) | [ \t] | quoted_pair)* '"';
  extension = bws ';' bws tchar+ (bws '=' bws (tchar+ | quoted_string))?;
  extensions = (extension+ >begin_extension $count_extension)?;

  size = xdigit+ >begin_size $take_digit;
  chunk = size extensions '\r' '\n' @end_size_line '\r' '\n' @end_data;

  trailer = (tchar+ >begin_trailer ':' (field_vchar | [ \t])* '\r' '\n') $count_trailer;
  trailer_section := trailer* '\r' '\n' @finish;

  main := chunk*;
}%%

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wimplicit-fallthrough"

Errc ChunkedDecoder::Machine::run(ChunkedDecoder& self, const char*& p, const char* pe,
                                  const char*& trailer) noexcept {
  const ParserLimits& limits = *self.limits_;
  int cs = self.state_;
  Errc error = Errc::kOk;

  %% write exec;

  self.state_ = static_cast<std::uint8_t>(cs);
  return cs == chunked_body_error ? refused(self.phase_) : error;
}

#pragma GCC diagnostic pop

ChunkedDecoder::ChunkedDecoder(const ParserLimits& limits) noexcept : limits_(&limits) { reset(); }

void ChunkedDecoder::reset() noexcept {
  left_ = size_ = body_ = overhead_ = 0;
  count_ = trailers_ = 0;
  state_ = chunked_body_start;
  phase_ = Phase::kSize;
}

ChunkedDecoder::Step ChunkedDecoder::next(std::string_view bytes) noexcept {
  SSX_ASSERT(phase_ != Phase::kDone && phase_ != Phase::kFailed, static_cast<int>(phase_));
  Step step;
  if (left_ == 0) {
    const char* p = bytes.data();
    const char* trailer = phase_ == Phase::kTrailer ? p : nullptr;
    step.error = Machine::run(*this, p, bytes.data() + bytes.size(), trailer);
    step.consumed = static_cast<std::size_t>(p - bytes.data());
    overhead_ += step.consumed;
    if (Machine::too_much_overhead(*this)) step.error = Errc::kChunkOverhead;
    if (step.error != Errc::kOk) {
      phase_ = Phase::kFailed;
      step.progress = Progress::kFailed;
      return step;
    }
    if (trailer != nullptr) step.trailers = {trailer, p};
    if (phase_ == Phase::kDone) {
      step.progress = Progress::kDone;
      return step;
    }
  }
  const auto here = static_cast<std::size_t>(
      std::min<std::uint64_t>(left_, bytes.size() - step.consumed));
  step.data = bytes.substr(step.consumed, here);
  step.consumed += here;
  left_ -= here;
  body_ += here;
  return step;
}

}  // namespace ssx::http
