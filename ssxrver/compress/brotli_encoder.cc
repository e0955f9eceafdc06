#include "ssxrver/compress/brotli_encoder.h"

namespace ssx::compress::internal {
namespace {

BrotliEncoderOperation operation(Flush flush) noexcept {
  switch (flush) {
    case Flush::kNone:
      return BROTLI_OPERATION_PROCESS;
    case Flush::kSync:
      return BROTLI_OPERATION_FLUSH;
    case Flush::kEnd:
      return BROTLI_OPERATION_FINISH;
  }
  return BROTLI_OPERATION_PROCESS;
}

}  // namespace

Errc BrotliEncoder::open(int level, int window_bits) noexcept {
  if (level < BROTLI_MIN_QUALITY || level > BROTLI_MAX_QUALITY) return Errc::kBadOptions;
  if (window_bits < BROTLI_MIN_WINDOW_BITS || window_bits > 22) return Errc::kBadOptions;
  level_ = level;
  window_bits_ = window_bits;
  return reset();
}

Errc BrotliEncoder::reset() noexcept {
  state_.reset(::BrotliEncoderCreateInstance(nullptr, nullptr, nullptr));
  if (state_ == nullptr) return Errc::kNoMemory;
  ::BrotliEncoderSetParameter(state_.get(), BROTLI_PARAM_QUALITY,
                              static_cast<std::uint32_t>(level_));
  ::BrotliEncoderSetParameter(state_.get(), BROTLI_PARAM_LGWIN,
                              static_cast<std::uint32_t>(window_bits_));
  return Errc::kOk;
}

Errc BrotliEncoder::step(ByteView in, MutableBytes out, Flush flush, Step& step) noexcept {
  std::size_t given = in.size();
  std::size_t room = out.size();
  const auto* from = reinterpret_cast<const std::uint8_t*>(in.data());
  auto* to = reinterpret_cast<std::uint8_t*>(out.data());
  const BROTLI_BOOL good = ::BrotliEncoderCompressStream(state_.get(), operation(flush), &given,
                                                         &from, &room, &to, nullptr);
  if (good == BROTLI_FALSE) return Errc::kNoMemory;  // the only reason that correct use leaves
  step.consumed = in.size() - given;
  step.produced = out.size() - room;
  const bool has_more = ::BrotliEncoderHasMoreOutput(state_.get()) != BROTLI_FALSE;
  step.done = flush == Flush::kEnd ? ::BrotliEncoderIsFinished(state_.get()) != BROTLI_FALSE
                                   : given == 0 && !has_more;
  return Errc::kOk;
}

}  // namespace ssx::compress::internal
