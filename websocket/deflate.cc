#include "websocket/deflate.h"

#include <utility>

namespace ssx::websocket {
namespace {

using compress::Piece;
using compress::Step;

constexpr int kWindowBitsMin = 9;  // of zlib's

Errc errc_of(const std::error_code& code) noexcept {
  if (code == compress::Errc::kTooLarge) return Errc::kMessageTooLong;
  if (code == compress::Errc::kRatio) return Errc::kInflateRatio;
  if (code == compress::Errc::kNoMemory) return Errc::kHandlerFailed;  // 1011: it is our side
  return Errc::kBadDeflate;
}

}  // namespace

Deflate::~Deflate() {
  give_back_inflater();
  give_back_deflater();
}

void Deflate::give_back_inflater() noexcept {
  if (inflater_) pool_.give_back(std::move(*inflater_));
  inflater_.reset();
}

void Deflate::give_back_deflater() noexcept {
  if (deflater_) pool_.give_back(std::move(*deflater_));
  deflater_.reset();
}

Result<Step> Deflate::inflate(ByteView in, MutableBytes out, Piece piece) {
  if (!inflater_) {
    const int window_bits =
        role_ == Role::kServer ? params_.client_max_window_bits : params_.server_max_window_bits;
    auto taken = pool_.take_inflater(window_bits, {.output_max = options_.message_max,
                                                   .ratio_max = options_.deflate.ratio_max,
                                                   .ratio_free = options_.deflate.ratio_free});
    if (!taken) return fail(errc_of(taken.error().code()), "Deflate::inflate");
    inflater_ = std::move(*taken);
  }
  auto step = inflater_->step(in, out, piece);
  const bool is_over = !step || (step->done && piece == Piece::kLast && !keeps_inflater());
  if (is_over) give_back_inflater();
  if (!step) return fail(errc_of(step.error().code()), "Deflate::inflate");
  return *step;
}

compress::MessageDeflaterOptions Deflate::deflater_options() const noexcept {
  return {.level = options_.deflate.level,
          .window_bits = role_ == Role::kServer ? params_.server_max_window_bits
                                                : params_.client_max_window_bits,
          .mem_level = options_.deflate.mem_level};
}

bool Deflate::ensure_deflater() {
  if (deflater_) return true;
  const auto wanted = deflater_options();
  if (wanted.window_bits < kWindowBitsMin) return false;
  auto taken = pool_.take_deflater(wanted);
  if (!taken) return false;
  deflater_ = std::move(*taken);
  return true;
}

bool Deflate::wants(std::size_t size) const noexcept {
  return options_.deflate.mode == DeflateMode::kBoth && size > 0 &&
         size >= options_.deflate.min_size;
}

std::optional<unsigned> Deflate::shared_kind() const noexcept {
  if (keeps_deflater()) return std::nullopt;
  const auto wanted = deflater_options();
  return static_cast<unsigned>(wanted.window_bits << 8 | wanted.level << 4 | wanted.mem_level);
}

bool Deflate::deflate(ByteView message, std::string& out) {
  if (!wants(message.size()) || !ensure_deflater()) return false;
  const std::size_t before = out.size();
  deflater_->write(message, Piece::kLast, out);
  if (keeps_deflater()) return true;  // the peer must see what later messages look back at
  give_back_deflater();
  if (out.size() - before < message.size()) return true;
  out.resize(before);
  return false;
}

}  // namespace ssx::websocket
