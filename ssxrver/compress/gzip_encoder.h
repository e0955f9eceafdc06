// zlib's side of Encoder.
//
// Thread: one at a time
// Owner:  Encoder
// Life:   open, then step; close frees
// Bounds: (1 << (window_bits + 2)) + (1 << 17) bytes, as zlib documents
#pragma once

#include <zlib.h>

#include "ssxrver/compress/encoder.h"

namespace ssx::compress::internal {

class GzipEncoder {
 public:
  GzipEncoder() = default;
  GzipEncoder(const GzipEncoder&) = delete;
  GzipEncoder& operator=(const GzipEncoder&) = delete;
  ~GzipEncoder();

  [[nodiscard]] Errc open(int level, int window_bits) noexcept;
  [[nodiscard]] Errc step(ByteView in, MutableBytes out, Flush flush, Step& step) noexcept;
  [[nodiscard]] Errc reset() noexcept;

 private:
  z_stream stream_{};
  bool is_open_ = false;
};

}  // namespace ssx::compress::internal
