#include "http/body_inflater.h"

#include <limits>

#include "ssxrver/base/bytes.h"
#include "ssxrver/base/strings.h"

namespace ssx::http {
namespace {

using compress::InflateFormat;

std::optional<InflateFormat> find_format(std::string_view coding) noexcept {
  if (ascii_iequals(coding, "gzip") || ascii_iequals(coding, "x-gzip")) return InflateFormat::kGzip;
  if (ascii_iequals(coding, "deflate")) return InflateFormat::kZlib;
  return std::nullopt;
}

Errc to_errc(const Error& error) noexcept {
  if (error.code() == compress::Errc::kRatio) return Errc::kContentRatio;
  if (error.code() == compress::Errc::kNoMemory) return Errc::kOverloaded;
  return Errc::kBadContentCoding;
}

}  // namespace

BodyCoding BodyCoding::of(const Fields& fields) noexcept {
  BodyCoding found;
  for (std::size_t i = fields.next(FieldName::kContentEncoding, 0); i < fields.size();
       i = fields.next(FieldName::kContentEncoding, i + 1)) {
    for_each_part(fields[i].value, ',', [&found](std::string_view part) {
      const std::string_view coding = trim(part);
      if (coding.empty() || ascii_iequals(coding, "identity")) return;
      const auto named = find_format(coding);
      if (!named || found.format) found.error = Errc::kUnknownContentCoding;
      found.format = named;
    });
  }
  return found;
}

Errc BodyInflater::begin(InflateFormat format) {
  if (inflater_ && format == format_) {
    inflater_->reset();
    return Errc::kOk;
  }
  const compress::InflateLimits limits{.output_max = std::numeric_limits<std::uint64_t>::max(),
                                       .ratio_max = options_.ratio_max,
                                       .ratio_free = options_.ratio_free};
  auto made = compress::Inflater::create(format, limits);
  if (!made) return to_errc(made.error());
  inflater_ = *std::move(made);
  format_ = format;
  return Errc::kOk;
}

Errc BodyInflater::take(std::string_view bytes, Sink& sink) {
  std::array<std::byte, kPieceBytes> piece;
  ByteView in = as_bytes(bytes);
  while (true) {
    const auto step = inflater_->step(in, piece);
    if (!step) return to_errc(step.error());
    if (step->produced > 0) {
      const char* const text = reinterpret_cast<const char*>(piece.data());
      if (const Errc error = sink({text, step->produced}); error != Errc::kOk) return error;
    }
    if (step->done) return Errc::kOk;
    in = in.subspan(step->consumed);
  }
}

Errc BodyInflater::finish() const noexcept {
  return inflater_->finish() ? Errc::kOk : Errc::kBadContentCoding;
}

}  // namespace ssx::http
