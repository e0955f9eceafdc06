#include "http/access_line.h"

#include <algorithm>
#include <array>
#include <charconv>

#include "ssxrver/base/log_record.h"

namespace ssx::http {
namespace {

constexpr char kHex[] = "0123456789ABCDEF";

constexpr std::uint64_t each(unsigned char byte) noexcept { return 0x0101010101010101U * byte; }

/// The bytes of `word` that are `byte`, as their highest bits. Above a hit there may be false ones.
constexpr std::uint64_t hits(std::uint64_t word, unsigned char byte) noexcept {
  const std::uint64_t zero = word ^ each(byte);
  return (zero - each(0x01)) & ~zero & each(0x80);
}

/// All eight bytes are within 0x20 .. 0x7E and neither `"` nor `\`.
constexpr bool is_plain(std::uint64_t word) noexcept {
  const std::uint64_t below = (word - each(0x20)) & ~word & each(0x80);
  return (below | (word & each(0x80)) | hits(word, 0x7F) | hits(word, '"') | hits(word, '\\')) == 0;
}

constexpr bool is_plain(char c) noexcept { return c >= 0x20 && c < 0x7F && c != '"' && c != '\\'; }

/// What stands for the byte, or the character, at the front of a text that is not plain.
struct Unit {
  std::array<char, 8> text{};
  std::size_t size = 0;
  std::size_t taken = 1;

  void add(char c) noexcept { text[size++] = c; }
  void add_hex(unsigned char byte) noexcept {
    add(kHex[byte >> 4]);
    add(kHex[byte & 15]);
  }
};

Unit escape_as_text(unsigned char byte) noexcept {
  Unit unit;
  unit.add('\\');
  unit.add('x');
  unit.add_hex(byte);
  return unit;
}

Unit escape_as_json(std::string_view text) noexcept {
  Unit unit;
  const auto byte = static_cast<unsigned char>(text.front());
  if (byte >= 0x80) {
    if (const std::size_t whole = log::printable_length(text); whole != 0) {
      unit.taken = unit.size = whole;
      std::copy_n(text.data(), whole, unit.text.data());
      return unit;
    }
    // \u00FF would name the character U+00FF, which is not what the byte was.
    unit = escape_as_text(byte);
    std::copy_backward(unit.text.begin(), unit.text.begin() + unit.size,
                       unit.text.begin() + unit.size + 1);
    ++unit.size;
    return unit;
  }
  unit.add('\\');
  if (byte == '"' || byte == '\\') {
    unit.add(text.front());
  } else {
    for (const char c : {'u', '0', '0'}) unit.add(c);
    unit.add_hex(byte);
  }
  return unit;
}

}  // namespace

void AccessLine::put_number(std::uint64_t number) noexcept {
  at_ = std::to_chars(at_, at_ + 20, number).ptr;
}

void AccessLine::put_milliseconds(std::uint64_t milliseconds) noexcept {
  put_number(milliseconds / 1000);
  const auto rest = static_cast<unsigned>(milliseconds % 1000);
  put('.');
  put(static_cast<char>('0' + rest / 100));
  put(static_cast<char>('0' + rest / 10 % 10));
  put(static_cast<char>('0' + rest % 10));
}

/// As many plain bytes from the front of `text` as `room` holds; what follows them.
std::string_view AccessLine::put_plain(std::string_view text, std::size_t room) noexcept {
  std::size_t done = 0;
  const std::size_t most = std::min(text.size(), room);
  for (; done + 8 <= most; done += 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, text.data() + done, sizeof word);
    if (!is_plain(word)) break;
    std::memcpy(at_ + done, &word, sizeof word);
  }
  for (; done < most && is_plain(text[done]); ++done) at_[done] = text[done];
  at_ += done;
  return text.substr(done);
}

bool AccessLine::put_value(std::string_view text, std::size_t room) noexcept {
  char* const end = at_ + room;
  char* cut = at_;  // the last place where the mark still fits
  while (!text.empty()) {
    const auto left = static_cast<std::size_t>(end - at_);
    if (left >= kCutMark.size()) {
      text = put_plain(text, left - kCutMark.size());
      cut = at_;
      if (text.empty()) return true;
    }
    const auto front = static_cast<unsigned char>(text.front());
    Unit unit;
    if (is_plain(text.front())) {
      unit.add(text.front());
    } else {
      unit = json_ ? escape_as_json(text) : escape_as_text(front);
    }
    if (unit.size > static_cast<std::size_t>(end - at_)) {
      at_ = cut;
      put(kCutMark);
      return false;
    }
    std::memcpy(at_, unit.text.data(), unit.size);
    at_ += unit.size;
    text.remove_prefix(unit.taken);
  }
  return true;
}

}  // namespace ssx::http
