// zlib's inflate with InflateLimits: what Inflater and MessageInflater share. (i)
//
// Thread: one at a time
// Owner:  Inflater, MessageInflater
// Life:   open once, then step; the counters begin anew with begin()
// Bounds: InflateLimits: no byte above output_max ever comes out, and a bomb is noticed at the
//         latest one output buffer above the ratio
#pragma once

#include <zlib.h>

#include <cstdint>

#include "ssxrver/base/bytes.h"
#include "ssxrver/compress/error.h"
#include "ssxrver/compress/inflater.h"
#include "ssxrver/compress/step.h"

namespace ssx::compress::internal {

class LimitedInflate {
 public:
  LimitedInflate() = default;
  LimitedInflate(const LimitedInflate&) = delete;
  LimitedInflate& operator=(const LimitedInflate&) = delete;
  ~LimitedInflate();

  /// `window_bits` as inflateInit2 wants them. kNoMemory.
  [[nodiscard]] Errc open(int window_bits) noexcept;

  /// The counters are 0 from here on.
  void begin(const InflateLimits& limits) noexcept {
    limits_ = limits;
    bytes_in_ = bytes_out_ = 0;
  }

  /// One call of zlib. `has_ended` becomes true behind the last block of the stream.
  /// kCorrupt, kTooLarge, kRatio or kNoMemory.
  [[nodiscard]] Errc step(ByteView in, MutableBytes out, Step& step, bool& has_ended) noexcept;

  [[nodiscard]] z_stream& stream() noexcept { return stream_; }
  [[nodiscard]] std::uint64_t bytes_in() const noexcept { return bytes_in_; }
  [[nodiscard]] std::uint64_t bytes_out() const noexcept { return bytes_out_; }

 private:
  [[nodiscard]] Errc check_ratio() const noexcept;

  z_stream stream_{};
  InflateLimits limits_;
  std::uint64_t bytes_in_ = 0;
  std::uint64_t bytes_out_ = 0;
  bool is_open_ = false;
};

}  // namespace ssx::compress::internal
