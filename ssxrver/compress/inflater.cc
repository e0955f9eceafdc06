#include "ssxrver/compress/inflater.h"

#include <zlib.h>

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include "ssxrver/base/assert.h"

namespace ssx::compress {
namespace {

constexpr std::size_t kPieceMax = std::numeric_limits<uInt>::max();

// How zlib is told the format: by the bits of the window.
int zlib_window(InflateFormat format) noexcept {
  switch (format) {
    case InflateFormat::kGzip:
      return 15 + 16;
    case InflateFormat::kZlib:
      return 15;
    case InflateFormat::kRaw:
      return -15;
  }
  return 15;
}

enum class Phase : std::uint8_t {
  kBefore,  // nothing of a stream (or of a further gzip member) has been seen
  kInside,
  kEnded,
  kFailed,
};

}  // namespace

struct Inflater::State {
  State() = default;
  State(const State&) = delete;
  State& operator=(const State&) = delete;
  ~State() {
    if (is_open) ::inflateEnd(&stream);
  }

  Errc step(ByteView in, MutableBytes out, Step& step) noexcept;
  Errc inflate_some(ByteView in, MutableBytes out, Step& step) noexcept;
  Errc check_ratio() const noexcept {
    // bytes_out > ratio_max * bytes_in, without the product that could overflow.
    const bool is_bomb = limits.ratio_max != 0 && bytes_out > limits.ratio_free &&
                         (bytes_out - 1) / limits.ratio_max >= bytes_in;
    return is_bomb ? Errc::kRatio : Errc::kOk;
  }

  z_stream stream{};
  InflateLimits limits;
  std::uint64_t bytes_in = 0;
  std::uint64_t bytes_out = 0;
  InflateFormat format = InflateFormat::kGzip;
  Phase phase = Phase::kBefore;
  bool is_open = false;
  bool has_members = false;  // a gzip member has ended: what follows may only be another
};

// One call of zlib. At output_max it works into a byte of its own, since only then can be told
// whether the stream ends there or goes on.
Errc Inflater::State::inflate_some(ByteView in, MutableBytes out, Step& step) noexcept {
  Bytef beyond = 0;
  const std::uint64_t left = limits.output_max - bytes_out;
  const std::size_t given = std::min(in.size(), kPieceMax);
  const std::size_t room =
      static_cast<std::size_t>(std::min<std::uint64_t>({out.size(), kPieceMax, left}));
  const bool is_full = room == 0;
  // zlib promises not to write there, but asks for a pointer to something that can be written.
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<std::byte*>(in.data()));
  stream.avail_in = static_cast<uInt>(given);
  stream.next_out = is_full ? &beyond : reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = is_full ? 1 : static_cast<uInt>(room);
  const uInt offered = stream.avail_out;
  const int answer = ::inflate(&stream, Z_NO_FLUSH);
  const std::size_t consumed = given - stream.avail_in;
  const std::size_t produced = offered - stream.avail_out;
  bytes_in += consumed;
  if (is_full && produced != 0) return Errc::kTooLarge;
  bytes_out += produced;
  step = {consumed, produced, consumed == in.size() && stream.avail_out != 0};
  if (answer == Z_MEM_ERROR) return Errc::kNoMemory;
  if (answer == Z_STREAM_END) {
    phase = Phase::kEnded;
  } else if (answer != Z_OK && answer != Z_BUF_ERROR) {
    return Errc::kCorrupt;  // Z_DATA_ERROR, or a dictionary that nobody has
  }
  return check_ratio();
}

Errc Inflater::State::step(ByteView in, MutableBytes out, Step& step) noexcept {
  if (in.empty() && phase != Phase::kInside) {
    step.done = true;
    return Errc::kOk;
  }
  if (phase == Phase::kEnded) {
    if (format != InflateFormat::kGzip) return Errc::kTrailing;
    ::inflateReset(&stream);  // RFC 1952 2.2: members follow one another without anything between
    has_members = true;
  }
  phase = Phase::kInside;
  const Errc code = inflate_some(in, out, step);
  if (phase == Phase::kEnded) step.done = step.consumed == in.size();
  // What follows a member and is none is not a damaged member.
  if (code == Errc::kCorrupt && has_members && stream.total_in <= 2) return Errc::kTrailing;
  return code;
}

Inflater::Inflater(std::unique_ptr<State> state) noexcept : state_(std::move(state)) {}
Inflater::Inflater(Inflater&&) noexcept = default;
Inflater& Inflater::operator=(Inflater&&) noexcept = default;
Inflater::~Inflater() = default;

Result<Inflater> Inflater::create(InflateFormat format, const InflateLimits& limits) {
  auto state = std::make_unique<State>();
  state->format = format;
  state->limits = limits;
  if (::inflateInit2(&state->stream, zlib_window(format)) != Z_OK) {
    return fail(Errc::kNoMemory, "Inflater::create");
  }
  state->is_open = true;
  return Inflater(std::move(state));
}

Result<Step> Inflater::step(ByteView in, MutableBytes out) noexcept {
  SSX_ASSERT(out.size() >= kStepOutputMin, out.size());
  SSX_ASSERT(state_->phase != Phase::kFailed);
  Step step;
  const Errc code = state_->step(in, out, step);
  if (code == Errc::kOk) return step;
  state_->phase = Phase::kFailed;
  return fail(code, "Inflater::step");
}

Result<void> Inflater::read(ByteView in, std::string& out) {
  std::array<std::byte, 16384> piece;
  while (true) {
    SSX_TRY(const Step done, step(in, piece));
    out.append(reinterpret_cast<const char*>(piece.data()), done.produced);
    if (done.done) return {};
    in = in.subspan(done.consumed);
  }
}

Result<void> Inflater::finish() const noexcept {
  if (state_->phase != Phase::kEnded) return fail(Errc::kTruncated, "Inflater::finish");
  return {};
}

void Inflater::reset() noexcept {
  ::inflateReset(&state_->stream);
  state_->bytes_in = state_->bytes_out = 0;
  state_->phase = Phase::kBefore;
  state_->has_members = false;
}

std::uint64_t Inflater::bytes_in() const noexcept { return state_->bytes_in; }
std::uint64_t Inflater::bytes_out() const noexcept { return state_->bytes_out; }

}  // namespace ssx::compress
