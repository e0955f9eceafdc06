#include "http/percent.h"

#include <array>

namespace ssx::http {
namespace {

constexpr std::uint8_t bit(PercentSet set) noexcept {
  return static_cast<std::uint8_t>(1U << static_cast<unsigned>(set));
}

constexpr std::array<std::uint8_t, 256> kLiteral = [] {
  std::array<std::uint8_t, 256> sets{};
  const auto add = [&sets](std::string_view bytes, PercentSet set) {
    for (const char byte : bytes) {
      auto& entry = sets[static_cast<unsigned char>(byte)];
      entry = static_cast<std::uint8_t>(entry | bit(set));
    }
  };
  constexpr std::string_view kAlnum =
      "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
  for (const PercentSet set : {PercentSet::kComponent, PercentSet::kPath, PercentSet::kForm}) {
    add(kAlnum, set);
    add("-._", set);
  }
  add("~", PercentSet::kComponent);
  add("~/!$&'()*+,;=:@", PercentSet::kPath);
  add("*", PercentSet::kForm);
  return sets;
}();

}  // namespace

void append_percent_encoded(std::string& out, std::string_view text, PercentSet set) {
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  for (const char byte : text) {
    const auto value = static_cast<unsigned char>(byte);
    if ((kLiteral[value] & bit(set)) != 0) {
      out += byte;
    } else if (byte == ' ' && set == PercentSet::kForm) {
      out += '+';
    } else {
      out += '%';
      out += kDigits[value >> 4];
      out += kDigits[value & 15];
    }
  }
}

std::string percent_encode(std::string_view text, PercentSet set) {
  std::string out;
  append_percent_encoded(out, text, set);
  return out;
}

}  // namespace ssx::http
