#include "ssxrver/compress/inflater.h"

#include <array>
#include <utility>

#include "ssxrver/base/assert.h"
#include "ssxrver/compress/limited_inflate.h"

namespace ssx::compress {
namespace {

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
  Errc step(ByteView in, MutableBytes out, Step& step) noexcept;

  internal::LimitedInflate inflate;
  InflateLimits limits;
  InflateFormat format = InflateFormat::kGzip;
  Phase phase = Phase::kBefore;
  bool has_members = false;  // a gzip member has ended: what follows may only be another
};

Errc Inflater::State::step(ByteView in, MutableBytes out, Step& step) noexcept {
  if (in.empty() && phase != Phase::kInside) {
    step.done = true;
    return Errc::kOk;
  }
  if (phase == Phase::kEnded) {
    if (format != InflateFormat::kGzip) return Errc::kTrailing;
    // RFC 1952 2.2: members follow one another without anything between.
    ::inflateReset(&inflate.stream());
    has_members = true;
  }
  bool has_ended = false;
  const Errc code = inflate.step(in, out, step, has_ended);
  phase = has_ended ? Phase::kEnded : Phase::kInside;
  if (has_ended) step.done = step.consumed == in.size();
  // What follows a member and is none is not a damaged member.
  if (code == Errc::kCorrupt && has_members && inflate.stream().total_in <= 2) {
    return Errc::kTrailing;
  }
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
  state->inflate.begin(limits);
  const Errc code = state->inflate.open(zlib_window(format));
  if (code != Errc::kOk) return fail(code, "Inflater::create");
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
  ::inflateReset(&state_->inflate.stream());
  state_->inflate.begin(state_->limits);
  state_->phase = Phase::kBefore;
  state_->has_members = false;
}

std::uint64_t Inflater::bytes_in() const noexcept { return state_->inflate.bytes_in(); }
std::uint64_t Inflater::bytes_out() const noexcept { return state_->inflate.bytes_out(); }

}  // namespace ssx::compress
