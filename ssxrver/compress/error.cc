#include "ssxrver/compress/error.h"

#include <array>
#include <string>

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

class CompressCategory final : public std::error_category {
 public:
  const char* name() const noexcept override { return "compress"; }
  std::string message(int value) const override {
    if (value < 0 || value >= kErrcCount) return "unknown error";
    return std::string(to_string(static_cast<Errc>(value)));
  }
};

}  // namespace

std::string_view to_string(Errc code) noexcept { return kTexts[static_cast<std::size_t>(code)]; }

const std::error_category& compress_category() noexcept {
  static const CompressCategory category;
  return category;
}

std::error_code make_error_code(Errc code) noexcept {
  return {static_cast<int>(code), compress_category()};
}

}  // namespace ssx::compress
