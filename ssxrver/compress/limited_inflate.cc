#include "ssxrver/compress/limited_inflate.h"

#include <algorithm>
#include <limits>

namespace ssx::compress::internal {
namespace {

constexpr std::size_t kPieceMax = std::numeric_limits<uInt>::max();

}  // namespace

LimitedInflate::~LimitedInflate() {
  if (is_open_) ::inflateEnd(&stream_);
}

Errc LimitedInflate::open(int window_bits) noexcept {
  is_open_ = ::inflateInit2(&stream_, window_bits) == Z_OK;
  return is_open_ ? Errc::kOk : Errc::kNoMemory;
}

Errc LimitedInflate::check_ratio() const noexcept {
  // bytes_out > ratio_max * bytes_in, without the product that could overflow.
  const bool is_bomb = limits_.ratio_max != 0 && bytes_out_ > limits_.ratio_free &&
                       (bytes_out_ - 1) / limits_.ratio_max >= bytes_in_;
  return is_bomb ? Errc::kRatio : Errc::kOk;
}

// At output_max it works into a byte of its own, since only then can be told whether the stream
// ends there or goes on.
Errc LimitedInflate::step(ByteView in, MutableBytes out, Step& step, bool& has_ended) noexcept {
  Bytef beyond = 0;
  const std::uint64_t left = limits_.output_max - bytes_out_;
  const std::size_t given = std::min(in.size(), kPieceMax);
  const std::size_t room =
      static_cast<std::size_t>(std::min<std::uint64_t>({out.size(), kPieceMax, left}));
  const bool is_full = room == 0;
  // zlib promises not to write there, but asks for a pointer to something that can be written.
  stream_.next_in = reinterpret_cast<Bytef*>(const_cast<std::byte*>(in.data()));
  stream_.avail_in = static_cast<uInt>(given);
  stream_.next_out = is_full ? &beyond : reinterpret_cast<Bytef*>(out.data());
  stream_.avail_out = is_full ? 1 : static_cast<uInt>(room);
  const uInt offered = stream_.avail_out;
  const int answer = ::inflate(&stream_, Z_NO_FLUSH);
  const std::size_t consumed = given - stream_.avail_in;
  const std::size_t produced = offered - stream_.avail_out;
  bytes_in_ += consumed;
  if (is_full && produced != 0) return Errc::kTooLarge;
  bytes_out_ += produced;
  step = {consumed, produced, consumed == in.size() && stream_.avail_out != 0};
  if (answer == Z_MEM_ERROR) return Errc::kNoMemory;
  if (answer == Z_STREAM_END) {
    has_ended = true;
  } else if (answer != Z_OK && answer != Z_BUF_ERROR) {
    return Errc::kCorrupt;  // Z_DATA_ERROR, or a dictionary that nobody has
  }
  return check_ratio();
}

}  // namespace ssx::compress::internal
