#include "ssxrver/compress/gzip_encoder.h"

#include <algorithm>
#include <limits>

#include "ssxrver/base/assert.h"

namespace ssx::compress::internal {
namespace {

constexpr int kMemoryLevel = 8;   // zlib's own default
constexpr int kGzipFraming = 16;  // added to the window's bits: gzip's header and trailer
constexpr std::size_t kPieceMax = std::numeric_limits<uInt>::max();

int zlib_flush(Flush flush) noexcept {
  switch (flush) {
    case Flush::kNone:
      return Z_NO_FLUSH;
    case Flush::kSync:
      return Z_SYNC_FLUSH;
    case Flush::kEnd:
      return Z_FINISH;
  }
  return Z_NO_FLUSH;
}

}  // namespace

GzipEncoder::~GzipEncoder() {
  if (is_open_) ::deflateEnd(&stream_);
}

Errc GzipEncoder::open(int level, int window_bits) noexcept {
  if (level < 1 || level > 9 || window_bits < 9 || window_bits > 15) return Errc::kBadOptions;
  const int answer = ::deflateInit2(&stream_, level, Z_DEFLATED, window_bits + kGzipFraming,
                                    kMemoryLevel, Z_DEFAULT_STRATEGY);
  is_open_ = answer == Z_OK;
  return is_open_ ? Errc::kOk : Errc::kNoMemory;
}

Errc GzipEncoder::step(ByteView in, MutableBytes out, Flush flush, Step& step) noexcept {
  const std::size_t given = std::min(in.size(), kPieceMax);
  const std::size_t room = std::min(out.size(), kPieceMax);
  // zlib promises not to write there, but asks for a pointer to something that can be written.
  stream_.next_in = reinterpret_cast<Bytef*>(const_cast<std::byte*>(in.data()));
  stream_.avail_in = static_cast<uInt>(given);
  stream_.next_out = reinterpret_cast<Bytef*>(out.data());
  stream_.avail_out = static_cast<uInt>(room);
  // A piece above 4 GiB ends in a later step; until then it is no end.
  const int answer = ::deflate(&stream_, zlib_flush(given == in.size() ? flush : Flush::kNone));
  SSX_ASSERT(answer == Z_OK || answer == Z_BUF_ERROR || answer == Z_STREAM_END, answer);
  step.consumed = given - stream_.avail_in;
  step.produced = room - stream_.avail_out;
  // Room that is left says that zlib holds nothing back that it was asked for.
  step.done = flush == Flush::kEnd ? answer == Z_STREAM_END
                                   : step.consumed == in.size() && stream_.avail_out != 0;
  return Errc::kOk;
}

Errc GzipEncoder::reset() noexcept {
  ::deflateReset(&stream_);
  return Errc::kOk;
}

}  // namespace ssx::compress::internal
