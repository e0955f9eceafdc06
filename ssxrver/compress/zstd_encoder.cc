#include "ssxrver/compress/zstd_encoder.h"

namespace ssx::compress::internal {
namespace {

constexpr int kLevelMax = 19;  // above it the memory is no longer a server's
constexpr int kWindowBitsMin = 10;
constexpr int kWindowBitsMax = 23;  // RFC 9659 3: 8 MiB

ZSTD_EndDirective directive(Flush flush) noexcept {
  switch (flush) {
    case Flush::kNone:
      return ZSTD_e_continue;
    case Flush::kSync:
      return ZSTD_e_flush;
    case Flush::kEnd:
      return ZSTD_e_end;
  }
  return ZSTD_e_continue;
}

}  // namespace

Errc ZstdEncoder::open(int level, int window_bits) noexcept {
  if (level < 1 || level > kLevelMax) return Errc::kBadOptions;
  if (window_bits < kWindowBitsMin || window_bits > kWindowBitsMax) return Errc::kBadOptions;
  context_.reset(::ZSTD_createCCtx());
  if (context_ == nullptr) return Errc::kNoMemory;
  ::ZSTD_CCtx_setParameter(context_.get(), ZSTD_c_compressionLevel, level);
  ::ZSTD_CCtx_setParameter(context_.get(), ZSTD_c_windowLog, window_bits);
  ::ZSTD_CCtx_setParameter(context_.get(), ZSTD_c_checksumFlag, 1);
  return Errc::kOk;
}

Errc ZstdEncoder::reset() noexcept {
  ::ZSTD_CCtx_reset(context_.get(), ZSTD_reset_session_only);
  return Errc::kOk;
}

Errc ZstdEncoder::step(ByteView in, MutableBytes out, Flush flush, Step& step) noexcept {
  ZSTD_inBuffer from{in.data(), in.size(), 0};
  ZSTD_outBuffer to{out.data(), out.size(), 0};
  const std::size_t left = ::ZSTD_compressStream2(context_.get(), &to, &from, directive(flush));
  if (::ZSTD_isError(left) != 0) return Errc::kNoMemory;  // the only reason correct use leaves
  step.consumed = from.pos;
  step.produced = to.pos;
  // With "continue" what is left are bytes kept back, not bytes that wait for room.
  step.done = flush == Flush::kNone ? from.pos == in.size() && to.pos < to.size : left == 0;
  return Errc::kOk;
}

}  // namespace ssx::compress::internal
