// Brotli's side of Encoder.
//
// Thread: one at a time
// Owner:  Encoder
// Life:   open, then step; the library cannot begin again, so reset() takes a new instance
// Bounds: a few windows of (1 << window_bits) bytes and the library's tables
#pragma once

#include <brotli/encode.h>

#include <memory>

#include "ssxrver/compress/encoder.h"

namespace ssx::compress::internal {

class BrotliEncoder {
 public:
  [[nodiscard]] Errc open(int level, int window_bits) noexcept;
  [[nodiscard]] Errc step(ByteView in, MutableBytes out, Flush flush, Step& step) noexcept;
  [[nodiscard]] Errc reset() noexcept;

 private:
  struct Destroy {
    void operator()(BrotliEncoderState* state) const noexcept {
      ::BrotliEncoderDestroyInstance(state);
    }
  };

  std::unique_ptr<BrotliEncoderState, Destroy> state_;
  int level_ = 0;
  int window_bits_ = 0;
};

}  // namespace ssx::compress::internal
