// Takes a chunked body apart (RFC 9112 7.1), strictly and incrementally, without copying.
//
// Thread: loop-only; holds no memory of its own
// Owner:  the exchange whose body it decodes; trivially copyable
// Life:   one body: from the byte behind the head to kDone or kFailed, then reset()
// Bounds: ParserLimits: chunk_extension_max, trailer_max, trailer_count_max, chunk_overhead_*;
//         a chunk of at most 2^63 - 1 bytes written with at most 16 digits
//
//   while (!in.empty()) {
//     const auto step = decoder.next(in);
//     if (step.progress == Progress::kFailed) return refuse(step.error);
//     take(step.data);
//     in.remove_prefix(step.consumed);
//     if (step.progress == Progress::kDone) break;   // `in` begins with the next request
//   }
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <type_traits>

#include "http/error.h"
#include "http/options.h"
#include "http/request_parser.h"

namespace ssx::http {

class ChunkedDecoder {
 public:
  struct Step {
    Progress progress = Progress::kNeedMore;
    Errc error = Errc::kOk;    ///< kFailed: why
    std::size_t consumed = 0;  ///< bytes that need not be kept: framing and `data`
    std::string_view data;     ///< bytes of the body, a view of what was handed in; may be empty
    std::string_view
        trailers;  ///< what of the trailer section was consumed, its last CRLF included
  };

  /// `limits` must outlive the decoder and its copies.
  explicit ChunkedDecoder(const ParserLimits& limits) noexcept;

  /// Consumes framing up to and including the next piece of data. `bytes` continues where the last
  /// call's `consumed` ended. kNeedMore with everything consumed means: read on; kNeedMore with
  /// bytes left over means: there may be another piece, call again. Trailer fields are checked;
  /// who wants them collects Step::trailers (RFC 9110 6.5.1 lets a recipient drop them).
  [[nodiscard]] Step next(std::string_view bytes) noexcept;

  void reset() noexcept;

  /// Bytes of the body handed out so far.
  [[nodiscard]] std::uint64_t body_size() const noexcept { return body_; }
  /// Bytes that the chunk being read still has to bring.
  [[nodiscard]] std::uint64_t chunk_left() const noexcept { return left_; }

 private:
  struct Machine;
  enum class Phase : std::uint8_t { kSize, kExtension, kDataEnd, kTrailer, kDone, kFailed };

  const ParserLimits* limits_;
  std::uint64_t left_ = 0;      ///< data of the chunk that was not handed out yet
  std::uint64_t size_ = 0;      ///< what the size line being read says so far
  std::uint64_t body_ = 0;      ///< data handed out
  std::uint64_t overhead_ = 0;  ///< framing bytes consumed
  std::uint32_t count_ = 0;     ///< digits, extension or trailer bytes so far
  std::uint32_t trailers_ = 0;  ///< trailer fields so far
  std::uint8_t state_ = 0;      ///< of the Ragel machine
  Phase phase_ = Phase::kSize;  ///< what a byte out of place is called
};

static_assert(std::is_trivially_copyable_v<ChunkedDecoder>);

}  // namespace ssx::http
