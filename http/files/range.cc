#include "http/files/range.h"

#include <fmt/core.h>

#include <algorithm>
#include <limits>
#include <optional>

#include "ssxrver/base/strings.h"

namespace ssx::http {
namespace {

constexpr std::uint64_t kHuge = std::numeric_limits<std::uint64_t>::max();

// Digits of any number; what does not fit is as large as can be, which is behind every end.
std::optional<std::uint64_t> read_number(std::string_view digits) noexcept {
  if (digits.empty()) return std::nullopt;
  std::uint64_t number = 0;
  for (const char c : digits) {
    if (c < '0' || c > '9') return std::nullopt;
    const auto digit = static_cast<std::uint64_t>(c - '0');
    number = number > (kHuge - digit) / 10 ? kHuge : number * 10 + digit;
  }
  return number;
}

enum class Spec : std::uint8_t { kBad, kOutside, kInside };

Spec read_suffix(std::string_view digits, std::uint64_t size, ByteRange& range) noexcept {
  const auto length = read_number(digits);
  if (!length) return Spec::kBad;
  range.size = std::min(*length, size);
  range.first = size - range.size;
  return *length == 0 ? Spec::kOutside : Spec::kInside;
}

// int-range or suffix-range (RFC 9110 14.1.1)
Spec read_spec(std::string_view text, std::uint64_t size, ByteRange& range) noexcept {
  const auto dash = text.find('-');
  if (dash == std::string_view::npos) return Spec::kBad;
  if (dash == 0) return read_suffix(text.substr(1), size, range);
  const auto first = read_number(text.substr(0, dash));
  if (!first) return Spec::kBad;
  std::uint64_t last = kHuge;
  if (dash + 1 < text.size()) {
    const auto given = read_number(text.substr(dash + 1));
    if (!given || *given < *first) return Spec::kBad;
    last = *given;
  }
  if (*first >= size) return Spec::kOutside;
  range.first = *first;
  range.size = std::min(last, size - 1) - *first + 1;
  return Spec::kInside;
}

}  // namespace

RangeSet parse_range(std::string_view value, std::uint64_t size, std::size_t ranges_max) {
  using Verdict = RangeSet::Verdict;
  constexpr std::string_view kUnit = "bytes=";
  if (!ascii_iequals(value.substr(0, kUnit.size()), kUnit)) return RangeSet(Verdict::kWhole);
  value.remove_prefix(kUnit.size());
  ranges_max = std::min(ranges_max, RangeSet::kMax);

  RangeSet set(Verdict::kUnsatisfiable);
  bool is_bad = false;
  bool has_nothing_to_give = false;
  std::size_t asked = 0;
  std::size_t disorder = 0;
  std::uint64_t reached = 0;
  for_each_part(value, ',', [&](std::string_view part) {
    part = trim(part);
    if (part.empty() || is_bad) return;  // empty members of a list count for nothing (5.6.1)
    ByteRange range;
    const Spec spec = read_spec(part, size, range);
    is_bad = spec == Spec::kBad;
    if (is_bad || ++asked > ranges_max || spec == Spec::kOutside) return;
    has_nothing_to_give = has_nothing_to_give || range.size == 0;  // a suffix of an empty file
    if (set.count_ > 0 && range.first < reached) ++disorder;
    reached = std::max(reached, range.first + range.size);
    set.ranges_[set.count_++] = range;
  });
  if (is_bad || asked == 0 || has_nothing_to_give) return RangeSet(Verdict::kWhole);
  if (asked > ranges_max || disorder > kDisorderMax) return RangeSet(Verdict::kTooMany);
  if (set.count_ > 0) set.verdict_ = Verdict::kPartial;
  return set;
}

std::string content_range(const ByteRange& range, std::uint64_t size) {
  return fmt::format("bytes {}-{}/{}", range.first, range.first + range.size - 1, size);
}

std::string unsatisfied_range(std::uint64_t size) { return fmt::format("bytes */{}", size); }

}  // namespace ssx::http
