// Compresses a stream of bytes piece by piece: gzip, brotli or zstd behind one face.
//
// Thread: one at a time; no shared state
// Owner:  whoever holds it; movable, memory only (malloc of the libraries)
// Life:   create, then step until the end has been written; reset begins the next stream with the
//         same memory
// Bounds: EncoderOptions::window_bits: 270 KiB for gzip, a few windows and tables for the others,
//         whatever is put in
//
//   Result<Encoder> encoder = Encoder::create({.coding = Coding::kGzip});
//   encoder->write(as_bytes(text), Flush::kEnd, out);
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "ssxrver/base/bytes.h"
#include "ssxrver/base/result.h"
#include "ssxrver/compress/coding.h"
#include "ssxrver/compress/error.h"
#include "ssxrver/compress/step.h"

namespace ssx::compress {

struct EncoderOptions {
  Coding coding = Coding::kGzip;
  /// gzip 1 .. 9, brotli 0 .. 11, zstd 1 .. 19. About what a server has time for.
  int level = 5;
  /// Bytes that may be looked back at, as a power of two; 0 = 15 for gzip, 18 for the others. gzip
  /// 9 .. 15, brotli 10 .. 22, zstd 10 .. 23 (8 MiB, the most a browser takes: RFC 9659 3).
  int window_bits = 0;
};

enum class Flush : std::uint8_t {
  kNone,  ///< the encoder may keep bytes back
  kSync,  ///< everything given so far can be decoded from what comes out
  kEnd,   ///< the same, and the stream ends
};

class Encoder {
 public:
  /// kUnavailable, kBadOptions or kNoMemory.
  static Result<Encoder> create(const EncoderOptions& options);

  Encoder(Encoder&&) noexcept;
  Encoder& operator=(Encoder&&) noexcept;
  ~Encoder();

  /// `out` has at least kStepOutputMin bytes. Until a step with `flush` is done, the next step has
  /// the same `flush` and the rest of the same input. After the end only reset() is legal.
  [[nodiscard]] Result<Step> step(ByteView in, MutableBytes out, Flush flush) noexcept;

  /// All steps that `in` needs, appended to `out`.
  [[nodiscard]] Result<void> write(ByteView in, Flush flush, std::string& out);

  /// Begins a new stream, whatever became of the last one.
  [[nodiscard]] Result<void> reset() noexcept;

  [[nodiscard]] Coding coding() const noexcept;

 private:
  struct State;
  explicit Encoder(std::unique_ptr<State> state) noexcept;

  std::unique_ptr<State> state_;
};

}  // namespace ssx::compress
