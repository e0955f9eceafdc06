// Zstandard's side of Encoder.
//
// Thread: one at a time
// Owner:  Encoder
// Life:   open, then step; reset keeps memory and options
// Bounds: a few windows of (1 << window_bits) bytes and the library's tables
#pragma once

#include <zstd.h>

#include <memory>

#include "ssxrver/compress/encoder.h"

namespace ssx::compress::internal {

class ZstdEncoder {
 public:
  [[nodiscard]] Errc open(int level, int window_bits) noexcept;
  [[nodiscard]] Errc step(ByteView in, MutableBytes out, Flush flush, Step& step) noexcept;
  [[nodiscard]] Errc reset() noexcept;

 private:
  struct Free {
    void operator()(ZSTD_CCtx* context) const noexcept { ::ZSTD_freeCCtx(context); }
  };

  std::unique_ptr<ZSTD_CCtx, Free> context_;
};

}  // namespace ssx::compress::internal
