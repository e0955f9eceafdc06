// What UTF-8 is, from its definition (RFC 3629 3): the bytes of all code points, and what such
// bytes begin with.
//
// Thread: the test's
// Owner:  -
// Life:   -
// Bounds: 6 MiB of bits, made once
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace ssx::websocket::test {

/// As the table of RFC 3629 3 spells it.
inline std::string utf8_of(std::uint32_t point) {
  const auto byte = [](std::uint32_t value) { return static_cast<char>(value); };
  if (point < 0x80) return {byte(point)};
  if (point < 0x800) return {byte(0xC0 | point >> 6), byte(0x80 | (point & 63))};
  if (point < 0x10000) {
    return {byte(0xE0 | point >> 12), byte(0x80 | (point >> 6 & 63)), byte(0x80 | (point & 63))};
  }
  return {byte(0xF0 | point >> 18), byte(0x80 | (point >> 12 & 63)), byte(0x80 | (point >> 6 & 63)),
          byte(0x80 | (point & 63))};
}

class Utf8Oracle {
 public:
  Utf8Oracle() {
    for (auto& set : whole_) set.resize(std::size_t{1} << 24);
    for (auto& set : begun_) set.resize(std::size_t{1} << 24);
    for (std::uint32_t point = 0; point <= 0x10FFFF; ++point) {
      if (point >= 0xD800 && point <= 0xDFFF) continue;
      const std::string bytes = utf8_of(point);
      std::size_t key = 0;
      for (std::size_t size = 1; size <= bytes.size() && size <= 3; ++size) {
        key = key << 8 | static_cast<unsigned char>(bytes[size - 1]);
        (size == bytes.size() ? whole_ : begun_)[size - 1][key] = true;
      }
    }
  }

  enum class Verdict : std::uint8_t { kWhole, kBegun, kBad };

  /// kBegun: bytes can follow with which it would be whole.
  [[nodiscard]] Verdict judge(std::string_view text) const {
    std::size_t key = 0;
    std::size_t size = 0;  // of the character so far
    for (const char byte : text) {
      key = key << 8 | static_cast<unsigned char>(byte);
      ++size;
      if (size == 4) {  // the first three can go on, and any continuation will do
        if ((key & 0xC0) != 0x80) return Verdict::kBad;
        size = key = 0;
      } else if (whole_[size - 1][key]) {
        size = key = 0;
      } else if (!begun_[size - 1][key]) {
        return Verdict::kBad;
      }
    }
    return size == 0 ? Verdict::kWhole : Verdict::kBegun;
  }

 private:
  std::vector<bool> whole_[3];
  std::vector<bool> begun_[3];
};

}  // namespace ssx::websocket::test
