#include "ssxrver/compress/error.h"

#include <array>

#include "ssxrver/base/error_text.h"

namespace ssx::compress {
namespace {

constexpr std::array<std::string_view, kErrcCount> kTexts = {
    "ok",
    "malformed compressed data",
    "compressed data ends too early",
    "bytes behind the compressed data",
    "decompressed data too long",
    "compressed data expands too much",
    "coding not in this build",
    "level or window out of range",
    "no memory for a compressor",
};
static_assert(!kTexts.back().empty(), "one text for each value, in the order of the enum");

}  // namespace

std::string_view to_string(Errc code) noexcept { return kTexts[static_cast<std::size_t>(code)]; }

const std::error_category& compress_category() noexcept {
  static const TextCategory<Errc, kErrcCount> category("compress");
  return category;
}

std::error_code make_error_code(Errc code) noexcept {
  return {static_cast<int>(code), compress_category()};
}

}  // namespace ssx::compress
