// Which content codings a client takes, and how gladly (RFC 9110 12.5.3).
//
// Thread: pure functions, immutable values
// Owner:  -
// Life:   -
// Bounds: -
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "http/fields.h"

namespace ssx::http {

/// The codings that this server knows.
enum class ContentCoding : std::uint8_t { kIdentity, kGzip, kBrotli, kZstd };
inline constexpr std::size_t kContentCodingCount = 4;

/// As Content-Encoding says it: "gzip". kIdentity is never said.
[[nodiscard]] std::string_view to_string(ContentCoding coding) noexcept;

/// The weights of one request, in thousandths.
class AcceptEncoding {
 public:
  /// All lines of the field together. Members that are not of the grammar count for nothing; what
  /// is named twice has the weight of its first mention.
  [[nodiscard]] static AcceptEncoding of(const Fields& fields) noexcept;

  /// 0 .. 1000; 0: must not be used. The identity has one too: where the field does not name it,
  /// every coding that is named is preferred, so it is the least there is.
  [[nodiscard]] unsigned weight(ContentCoding coding) const noexcept {
    return weights_[static_cast<std::size_t>(coding)];
  }
  /// `coding` may be used, and the client does not prefer to have none.
  [[nodiscard]] bool prefers(ContentCoding coding) const noexcept {
    return weight(coding) > 0 && weight(coding) >= weight(ContentCoding::kIdentity);
  }

 private:
  AcceptEncoding() = default;
  std::array<std::uint16_t, kContentCodingCount> weights_{};
};

}  // namespace ssx::http
