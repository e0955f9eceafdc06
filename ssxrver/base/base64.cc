#include "ssxrver/base/base64.h"

#include <algorithm>
#include <array>

namespace ssx {
namespace {

constexpr std::string_view kStandardDigits =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr std::string_view kUrlDigits =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
constexpr std::uint8_t kNoDigit = 64;

using Values = std::array<std::uint8_t, 256>;

constexpr Values values_of(std::string_view digits) {
  Values values{};
  values.fill(kNoDigit);
  for (std::size_t i = 0; i < digits.size(); ++i) {
    values[static_cast<unsigned char>(digits[i])] = static_cast<std::uint8_t>(i);
  }
  return values;
}

constexpr Values kStandardValues = values_of(kStandardDigits);
constexpr Values kUrlValues = values_of(kUrlDigits);

Unexpected malformed() { return fail(Errc::kMalformed, "base64_decode"); }

}  // namespace

void append_base64(std::string& out, ByteView bytes, Base64 alphabet) {
  const std::string_view digits = alphabet == Base64::kUrl ? kUrlDigits : kStandardDigits;
  for (; !bytes.empty(); bytes = bytes.subspan(std::min<std::size_t>(bytes.size(), 3))) {
    std::uint32_t group = 0;
    for (std::size_t i = 0; i < 3; ++i) {
      group = group << 8 | (i < bytes.size() ? std::to_integer<std::uint32_t>(bytes[i]) : 0);
    }
    for (std::size_t i = 0; i < 4; ++i) {
      if (i <= bytes.size()) {
        out += digits[group >> (18 - 6 * i) & 63];
      } else if (alphabet == Base64::kStandard) {
        out += '=';
      }
    }
  }
}

std::string base64_encode(ByteView bytes, Base64 alphabet) {
  std::string out;
  out.reserve((bytes.size() + 2) / 3 * 4);
  append_base64(out, bytes, alphabet);
  return out;
}

Result<std::string> base64_decode(std::string_view text, Base64 alphabet) {
  const Values& values = alphabet == Base64::kUrl ? kUrlValues : kStandardValues;
  if (alphabet == Base64::kStandard) {
    if (text.size() % 4 != 0) return malformed();
    if (text.ends_with('=')) text.remove_suffix(text.ends_with("==") ? 2 : 1);
  }
  if (text.size() % 4 == 1) return malformed();
  std::string out;
  out.reserve(text.size() / 4 * 3 + 2);
  std::uint32_t bits = 0;
  unsigned size = 0;
  for (const char byte : text) {
    const std::uint8_t value = values[static_cast<unsigned char>(byte)];
    if (value == kNoDigit) return malformed();
    bits = bits << 6 | value;
    size += 6;
    if (size < 8) continue;
    size -= 8;
    out += static_cast<char>(bits >> size & 255);
    bits &= (1U << size) - 1;
  }
  if (bits != 0) return malformed();
  return out;
}

}  // namespace ssx
