// Range requests (RFC 9110 14): which bytes of a representation are asked for.
//
// Thread: pure functions
// Owner:  -
// Life:   -
// Bounds: RangeSet::kMax ranges, and fewer where `ranges_max` says so; at most kDisorderMax of them
//         overlap or go backwards, so that no answer is more than kDisorderMax + 1 times the file
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace ssx::http {

/// Bytes of a representation; never empty, and never beyond its end.
struct ByteRange {
  std::uint64_t first = 0;
  std::uint64_t size = 0;
  bool operator==(const ByteRange&) const = default;
};

/// What a Range field asks for.
class RangeSet {
 public:
  static constexpr std::size_t kMax = 64;

  enum class Verdict : std::uint8_t {
    kWhole,          ///< no range, none that we understand, or too many: 200
    kPartial,        ///< ranges(): 206
    kUnsatisfiable,  ///< all of them begin behind the end: 416
    kTooMany,        ///< more than `ranges_max`, or too disorderly: 200
  };

  [[nodiscard]] Verdict verdict() const noexcept { return verdict_; }
  [[nodiscard]] std::span<const ByteRange> ranges() const noexcept {
    return {ranges_.data(), count_};
  }

 private:
  friend RangeSet parse_range(std::string_view value, std::uint64_t size, std::size_t ranges_max);
  explicit RangeSet(Verdict verdict) noexcept : verdict_(verdict) {}

  Verdict verdict_;
  std::size_t count_ = 0;
  std::array<ByteRange, kMax> ranges_;
};

/// How many ranges may begin before the furthest end of those in front of them (RFC 9110 14.2).
inline constexpr std::size_t kDisorderMax = 2;

/// Reads the value of a Range field for a representation of `size` bytes. Other units than bytes,
/// and what is not of the grammar (RFC 9110 14.1.1), ask for nothing. Ranges that begin behind the
/// end are left out while others do not. A suffix of something empty is the whole of it.
[[nodiscard]] RangeSet parse_range(std::string_view value, std::uint64_t size,
                                   std::size_t ranges_max);

/// "bytes 0-99/1234" (RFC 9110 14.4)
[[nodiscard]] std::string content_range(const ByteRange& range, std::uint64_t size);
/// "bytes */1234", as a 416 says it
[[nodiscard]] std::string unsatisfied_range(std::uint64_t size);

}  // namespace ssx::http
