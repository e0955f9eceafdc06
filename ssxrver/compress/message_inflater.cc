#include "ssxrver/compress/message_inflater.h"

#include <array>
#include <utility>

#include "ssxrver/base/assert.h"
#include "ssxrver/compress/limited_inflate.h"

namespace ssx::compress {
namespace {

// What the sender has left out: an empty block without compression, but for its header's bits.
constexpr std::array<std::byte, 4> kTail = {std::byte{0}, std::byte{0}, std::byte{0xFF},
                                            std::byte{0xFF}};

enum class Phase : std::uint8_t { kBetween, kInside, kFailed };

}  // namespace

struct MessageInflater::State {
  void begin() noexcept;
  Errc step(ByteView in, MutableBytes out, Piece piece, Step& step) noexcept;
  Errc feed(ByteView& in, MutableBytes& out, Step& step, bool& is_stuck) noexcept;
  Errc end_message(Step& step) noexcept;
  void pass_final_block() noexcept;
  // Behind a block, and not at the beginning of everything: the bits of inflate(), zlib.h.
  bool is_behind_block() noexcept { return (inflate.stream().data_type & 128) != 0; }

  internal::LimitedInflate inflate;
  InflateLimits limits;
  int window_bits = 15;
  Phase phase = Phase::kBetween;
  bool has_ended = false;   // a final block is behind us
  std::size_t tail_at = 0;  // of kTail, what has been taken
};

void MessageInflater::State::begin() noexcept {
  inflate.begin(limits);
  tail_at = 0;
  phase = Phase::kInside;
  pass_final_block();
}

// zlib takes nothing behind a final block. This reset keeps the window; inflateReset would not.
void MessageInflater::State::pass_final_block() noexcept {
  if (has_ended) ::inflateResetKeep(&inflate.stream());
  has_ended = false;
}

// One call of zlib for `in` or, once that is used up, for the tail. `is_stuck` when there is no
// room for what it would write.
Errc MessageInflater::State::feed(ByteView& in, MutableBytes& out, Step& step,
                                  bool& is_stuck) noexcept {
  Step one;
  if (const Errc code = inflate.step(in, out, one, has_ended); code != Errc::kOk) return code;
  in = in.subspan(one.consumed);
  out = out.subspan(one.produced);
  step.produced += one.produced;
  is_stuck = has_ended ? out.empty() && !in.empty() : !one.done;
  return Errc::kOk;
}

Errc MessageInflater::State::end_message(Step& step) noexcept {
  phase = Phase::kBetween;
  step.done = true;
  return Errc::kOk;
}

Errc MessageInflater::State::step(ByteView in, MutableBytes out, Piece piece, Step& step) noexcept {
  if (phase == Phase::kBetween) begin();
  const std::size_t given = in.size();
  bool is_stuck = false;
  // Empty input as well, once: what did not fit last time.
  do {
    if (!in.empty()) pass_final_block();
    if (!has_ended && (given != 0 || tail_at == 0)) {
      const Errc code = feed(in, out, step, is_stuck);
      if (code != Errc::kOk) return code;
    }
    step.consumed = given - in.size();
    if (is_stuck) return Errc::kOk;
  } while (!in.empty());
  if (piece == Piece::kMore) {
    step.done = true;
    return Errc::kOk;
  }
  if (has_ended && tail_at == 0) return end_message(step);  // and without the 0 of 7.2.3.5
  ByteView tail = ByteView(kTail).subspan(tail_at);
  const Errc code = feed(tail, out, step, is_stuck);
  if (code != Errc::kOk) return code;
  tail_at = kTail.size() - tail.size();
  if (is_stuck) return Errc::kOk;
  if (has_ended || !is_behind_block()) return Errc::kCorrupt;
  return end_message(step);
}

MessageInflater::MessageInflater(std::unique_ptr<State> state) noexcept
    : state_(std::move(state)) {}
MessageInflater::MessageInflater(MessageInflater&&) noexcept = default;
MessageInflater& MessageInflater::operator=(MessageInflater&&) noexcept = default;
MessageInflater::~MessageInflater() = default;

Result<MessageInflater> MessageInflater::create(int window_bits, const InflateLimits& limits) {
  if (window_bits < 9 || window_bits > 15)
    return fail(Errc::kBadOptions, "MessageInflater::create");
  auto state = std::make_unique<State>();
  state->limits = limits;
  state->window_bits = window_bits;
  const Errc code = state->inflate.open(-window_bits);
  if (code != Errc::kOk) return fail(code, "MessageInflater::create");
  return MessageInflater(std::move(state));
}

Result<Step> MessageInflater::step(ByteView in, MutableBytes out, Piece piece) noexcept {
  SSX_ASSERT(out.size() >= kStepOutputMin, out.size());
  SSX_ASSERT(state_->phase != Phase::kFailed);
  Step step;
  const Errc code = state_->step(in, out, piece, step);
  if (code == Errc::kOk) return step;
  state_->phase = Phase::kFailed;
  return fail(code, "MessageInflater::step");
}

Result<void> MessageInflater::read(ByteView in, Piece piece, std::string& out) {
  std::array<std::byte, 16384> room;
  while (true) {
    SSX_TRY(const Step done, step(in, room, piece));
    out.append(reinterpret_cast<const char*>(room.data()), done.produced);
    if (done.done) return {};
    in = in.subspan(done.consumed);
  }
}

void MessageInflater::forget() noexcept {
  SSX_ASSERT(state_->phase == Phase::kBetween);
  ::inflateReset(&state_->inflate.stream());
  state_->has_ended = false;
}

void MessageInflater::reset(const InflateLimits& limits) noexcept {
  state_->phase = Phase::kBetween;
  state_->limits = limits;
  forget();
}

std::uint64_t MessageInflater::bytes_in() const noexcept { return state_->inflate.bytes_in(); }
std::uint64_t MessageInflater::bytes_out() const noexcept { return state_->inflate.bytes_out(); }
int MessageInflater::window_bits() const noexcept { return state_->window_bits; }

}  // namespace ssx::compress
