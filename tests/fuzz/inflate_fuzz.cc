// Bodies of requests in gzip and deflate: no more comes out than the ratio allows, and where the
// bytes are cut changes nothing.
//
// The first byte of an input chooses the format.
#include <algorithm>
#include <optional>
#include <string>

#include "http/body_inflater.h"
#include "ssxrver/base/assert.h"
#include "tests/fuzz/fuzz.h"

namespace {

using namespace ssx::http;
using ssx::compress::InflateFormat;

constexpr BodyDecodingOptions kOptions{.enabled = true, .ratio_max = 20, .ratio_free = 4096};

/// What is inside; nothing when it was refused.
std::optional<std::string> inflate(InflateFormat format, const ssx::fuzz::Pieces& pieces) {
  BodyInflater inflater(kOptions);
  SSX_ASSERT(inflater.begin(format) == Errc::kOk);
  std::string text;
  BodyInflater::Sink sink = [&text](std::string_view piece) {
    SSX_ASSERT(!piece.empty() && piece.size() <= BodyInflater::kPieceBytes);
    text += piece;
    return Errc::kOk;
  };
  std::size_t taken = 0;
  for (const std::string_view piece : pieces) {
    taken += piece.size();
    const Errc error = inflater.take(piece, sink);
    const std::size_t most = std::max<std::size_t>(kOptions.ratio_free, kOptions.ratio_max * taken);
    SSX_ASSERT(text.size() <= most + BodyInflater::kPieceBytes, text.size(), taken);
    SSX_ASSERT(error == Errc::kOk || error == Errc::kBadContentCoding ||
               error == Errc::kContentRatio);
    if (error != Errc::kOk) return std::nullopt;
  }
  if (inflater.finish() != Errc::kOk) return std::nullopt;
  return text;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const auto format = data[0] % 2 == 0 ? InflateFormat::kGzip : InflateFormat::kZlib;
  const std::string_view bytes = ssx::fuzz::text(data + 1, size - 1);
  const auto whole = inflate(format, {bytes});
  if (!whole) return 0;  // in pieces the ratio may be looked at earlier, or when more has come
  for (const auto& pieces : ssx::fuzz::splits(bytes)) {
    const auto cut = inflate(format, pieces);
    SSX_ASSERT(!cut || *cut == *whole);
    SSX_ASSERT(cut || whole->size() > kOptions.ratio_free);
  }
  return 0;
}
