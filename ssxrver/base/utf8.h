// UTF-8, one byte at a time (RFC 3629 4): no overlong form, no surrogate, nothing above U+10FFFF.
//
// Thread: values
// Owner:  whoever reads a text
// Life:   one text
// Bounds: three bytes of state, whatever the length
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace ssx {

class Utf8Steps {
 public:
  /// False when no text can go on so; then it is not fed again.
  [[nodiscard]] constexpr bool take(char byte) noexcept {
    const auto value = static_cast<unsigned char>(byte);
    if (left_ == 0) return take_first(value);
    if (value < lowest_ || value > highest_) return false;
    lowest_ = 0x80, highest_ = 0xBF;
    --left_;
    return true;
  }

  /// Whether the text may end here.
  [[nodiscard]] constexpr bool complete() const noexcept { return left_ == 0; }

 private:
  constexpr bool take_first(unsigned char value) noexcept {
    if (value < 0x80) return true;
    if (value < 0xC2 || value > 0xF4) return false;
    left_ = value < 0xE0 ? 1 : value < 0xF0 ? 2 : 3;
    if (value == 0xE0) lowest_ = 0xA0;
    if (value == 0xED) highest_ = 0x9F;
    if (value == 0xF0) lowest_ = 0x90;
    if (value == 0xF4) highest_ = 0x8F;
    return true;
  }

  std::uint8_t left_ = 0;  // bytes of the character that are still to come
  std::uint8_t lowest_ = 0x80;
  std::uint8_t highest_ = 0xBF;
};

/// Bytes of the longest front of `text` that is UTF-8 and ends with a whole character.
[[nodiscard]] constexpr std::size_t utf8_front(std::string_view text) noexcept {
  Utf8Steps steps;
  std::size_t front = 0;
  for (std::size_t i = 0; i < text.size() && steps.take(text[i]); ++i) {
    if (steps.complete()) front = i + 1;
  }
  return front;
}

}  // namespace ssx
