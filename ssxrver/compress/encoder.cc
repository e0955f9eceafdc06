#include "ssxrver/compress/encoder.h"

#include <array>
#include <utility>
#include <variant>

#include "ssxrver/base/assert.h"
#include "ssxrver/compress/gzip_encoder.h"
#if defined(SSX_HAVE_BROTLI)
#include "ssxrver/compress/brotli_encoder.h"
#endif
#if defined(SSX_HAVE_ZSTD)
#include "ssxrver/compress/zstd_encoder.h"
#endif

namespace ssx::compress {
namespace {

int window_bits(const EncoderOptions& options) noexcept {
  if (options.window_bits != 0) return options.window_bits;
  return options.coding == Coding::kGzip ? 15 : 18;
}

}  // namespace

struct Encoder::State {
  Coding coding;
  bool has_ended = false;
  std::variant<std::monostate, internal::GzipEncoder
#if defined(SSX_HAVE_BROTLI)
               ,
               internal::BrotliEncoder
#endif
#if defined(SSX_HAVE_ZSTD)
               ,
               internal::ZstdEncoder
#endif
               >
      library;

  /// kUnavailable when the build does not have the coding's library.
  template <class Call>
  Errc visit(Call&& call) noexcept {
    return std::visit(
        [&call](auto& held) {
          if constexpr (std::is_same_v<std::decay_t<decltype(held)>, std::monostate>) {
            return Errc::kUnavailable;
          } else {
            return call(held);
          }
        },
        library);
  }
};

Encoder::Encoder(std::unique_ptr<State> state) noexcept : state_(std::move(state)) {}
Encoder::Encoder(Encoder&&) noexcept = default;
Encoder& Encoder::operator=(Encoder&&) noexcept = default;
Encoder::~Encoder() = default;

Result<Encoder> Encoder::create(const EncoderOptions& options) {
  auto state = std::make_unique<State>();
  state->coding = options.coding;
  switch (options.coding) {
    case Coding::kGzip:
      state->library.emplace<internal::GzipEncoder>();
      break;
    case Coding::kBrotli:
#if defined(SSX_HAVE_BROTLI)
      state->library.emplace<internal::BrotliEncoder>();
#endif
      break;
    case Coding::kZstd:
#if defined(SSX_HAVE_ZSTD)
      state->library.emplace<internal::ZstdEncoder>();
#endif
      break;
  }
  const Errc code = state->visit(
      [&options](auto& library) { return library.open(options.level, window_bits(options)); });
  if (code != Errc::kOk) return fail(code, "Encoder::create");
  return Encoder(std::move(state));
}

Result<Step> Encoder::step(ByteView in, MutableBytes out, Flush flush) noexcept {
  SSX_ASSERT(out.size() >= kStepOutputMin, out.size());
  SSX_ASSERT(!state_->has_ended);
  Step step;
  const Errc code = state_->visit(
      [in, out, flush, &step](auto& library) { return library.step(in, out, flush, step); });
  if (code != Errc::kOk) return fail(code, "Encoder::step");
  state_->has_ended = flush == Flush::kEnd && step.done;
  return step;
}

Result<void> Encoder::write(ByteView in, Flush flush, std::string& out) {
  std::array<std::byte, 16384> piece;
  while (true) {
    SSX_TRY(const Step done, step(in, piece, flush));
    out.append(reinterpret_cast<const char*>(piece.data()), done.produced);
    if (done.done) return {};
    in = in.subspan(done.consumed);
  }
}

Result<void> Encoder::reset() noexcept {
  state_->has_ended = false;
  const Errc code = state_->visit([](auto& library) { return library.reset(); });
  if (code != Errc::kOk) return fail(code, "Encoder::reset");
  return {};
}

Coding Encoder::coding() const noexcept { return state_->coding; }

}  // namespace ssx::compress
