#include "ssxrver/compress/message_deflater.h"

#include <zlib.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <utility>

#include "ssxrver/base/assert.h"

namespace ssx::compress {
namespace {

constexpr std::size_t kPieceMax = std::numeric_limits<uInt>::max();

// Ends every sync flush; the receiver puts it back (RFC 7692 7.2.1).
constexpr std::array<std::byte, 4> kTail = {std::byte{0}, std::byte{0}, std::byte{0xFF},
                                            std::byte{0xFF}};

}  // namespace

struct MessageDeflater::State {
  State() = default;
  State(const State&) = delete;
  State& operator=(const State&) = delete;
  ~State() {
    if (is_open) ::deflateEnd(&stream);
  }

  Step deflate_some(ByteView in, MutableBytes out, int flush) noexcept;
  Step step(ByteView in, MutableBytes out, Piece piece) noexcept;

  z_stream stream{};
  MessageDeflaterOptions options;
  std::array<std::byte, 4> held{};  // the last bytes that came out, which may be kTail
  std::size_t held_size = 0;
  bool is_open = false;
  bool is_empty = true;  // nothing of this message has come yet
};

Step MessageDeflater::State::deflate_some(ByteView in, MutableBytes out, int flush) noexcept {
  const std::size_t given = std::min(in.size(), kPieceMax);
  const std::size_t room = std::min(out.size(), kPieceMax);
  // zlib promises not to write there, but asks for a pointer to something that can be written.
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<std::byte*>(in.data()));
  stream.avail_in = static_cast<uInt>(given);
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(room);
  // A piece above 4 GiB ends in a later step; until then it is no end.
  const int answer = ::deflate(&stream, given == in.size() ? flush : Z_NO_FLUSH);
  SSX_ASSERT(answer == Z_OK || answer == Z_BUF_ERROR, answer);
  const std::size_t consumed = given - stream.avail_in;
  return {consumed, room - stream.avail_out, consumed == in.size() && stream.avail_out != 0};
}

// The last four bytes wait for the next step: those that end the message are not sent.
Step MessageDeflater::State::step(ByteView in, MutableBytes out, Piece piece) noexcept {
  is_empty = is_empty && in.empty();
  if (is_empty) {
    if (piece == Piece::kMore) return {.done = true};
    // zlib has nothing to flush then, and writes nothing.
    out[0] = std::byte{0};
    return {.produced = 1, .done = true};
  }
  std::memcpy(out.data(), held.data(), held_size);
  Step step =
      deflate_some(in, out.subspan(held_size), piece == Piece::kLast ? Z_SYNC_FLUSH : Z_NO_FLUSH);
  step.produced += held_size;
  held_size = std::min(step.produced, held.size());
  step.produced -= held_size;
  std::memcpy(held.data(), out.data() + step.produced, held_size);
  if (piece == Piece::kLast && step.done) {
    SSX_ASSERT(held_size == kTail.size() && held == kTail);
    held_size = 0;
    is_empty = true;
  }
  return step;
}

MessageDeflater::MessageDeflater(std::unique_ptr<State> state) noexcept
    : state_(std::move(state)) {}
MessageDeflater::MessageDeflater(MessageDeflater&&) noexcept = default;
MessageDeflater& MessageDeflater::operator=(MessageDeflater&&) noexcept = default;
MessageDeflater::~MessageDeflater() = default;

Result<MessageDeflater> MessageDeflater::create(const MessageDeflaterOptions& options) {
  const bool is_good = options.level >= 1 && options.level <= 9 && options.window_bits >= 9 &&
                       options.window_bits <= 15 && options.mem_level >= 1 &&
                       options.mem_level <= 9;
  if (!is_good) return fail(Errc::kBadOptions, "MessageDeflater::create");
  auto state = std::make_unique<State>();
  state->options = options;
  const int answer = ::deflateInit2(&state->stream, options.level, Z_DEFLATED, -options.window_bits,
                                    options.mem_level, Z_DEFAULT_STRATEGY);
  state->is_open = answer == Z_OK;
  if (!state->is_open) return fail(Errc::kNoMemory, "MessageDeflater::create");
  return MessageDeflater(std::move(state));
}

Step MessageDeflater::step(ByteView in, MutableBytes out, Piece piece) noexcept {
  SSX_ASSERT(out.size() >= kStepOutputMin, out.size());
  return state_->step(in, out, piece);
}

void MessageDeflater::write(ByteView in, Piece piece, std::string& out) {
  std::array<std::byte, 16384> room;
  while (true) {
    const Step done = step(in, room, piece);
    out.append(reinterpret_cast<const char*>(room.data()), done.produced);
    if (done.done) return;
    in = in.subspan(done.consumed);
  }
}

void MessageDeflater::forget() noexcept {
  ::deflateReset(&state_->stream);
  state_->held_size = 0;
  state_->is_empty = true;
}

const MessageDeflaterOptions& MessageDeflater::options() const noexcept { return state_->options; }

}  // namespace ssx::compress
