// Decompresses a stream from a peer that may be hostile: gzip, zlib or raw deflate, with limits
// that are checked while it works.
//
// Thread: one at a time; no shared state
// Owner:  whoever holds it; movable, memory only (malloc of zlib)
// Life:   create, step for every piece, finish; reset begins the next stream with the same memory
// Bounds: 7 KiB and a window of 32 KiB, and InflateLimits: no byte above output_max ever comes out,
//         and a bomb is noticed at the latest one output buffer above the ratio
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "ssxrver/base/bytes.h"
#include "ssxrver/base/result.h"
#include "ssxrver/compress/error.h"
#include "ssxrver/compress/step.h"

namespace ssx::compress {

struct InflateLimits {
  std::uint64_t output_max = 64 << 20;  ///< bytes of a stream; more: kTooLarge
  std::uint64_t ratio_max = 100;        ///< output per byte of input; more: kRatio; 0 = no limit
  std::uint64_t ratio_free = 64 << 10;  ///< output before the ratio counts: short texts repeat much
};

enum class InflateFormat : std::uint8_t {
  kGzip,  ///< RFC 1952, one member or several behind one another
  kZlib,  ///< RFC 1950: what HTTP calls "deflate" (RFC 9110 8.4.1.2)
  kRaw,   ///< RFC 1951
};

class Inflater {
 public:
  /// kNoMemory.
  static Result<Inflater> create(InflateFormat format, const InflateLimits& limits);

  Inflater(Inflater&&) noexcept;
  Inflater& operator=(Inflater&&) noexcept;
  ~Inflater();

  /// kCorrupt, kTrailing, kTooLarge, kRatio or kNoMemory; after an error only reset() is legal.
  /// `out` has at least kStepOutputMin bytes.
  [[nodiscard]] Result<Step> step(ByteView in, MutableBytes out) noexcept;

  /// All steps that `in` needs, appended to `out`.
  [[nodiscard]] Result<void> read(ByteView in, std::string& out);

  /// The input has ended: kTruncated when the stream has not.
  [[nodiscard]] Result<void> finish() const noexcept;

  /// Begins a new stream, whatever became of the last one.
  void reset() noexcept;

  [[nodiscard]] std::uint64_t bytes_in() const noexcept;
  [[nodiscard]] std::uint64_t bytes_out() const noexcept;

 private:
  struct State;
  explicit Inflater(std::unique_ptr<State> state) noexcept;

  std::unique_ptr<State> state_;
};

}  // namespace ssx::compress
