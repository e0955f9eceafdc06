#include "ssxrver/crypt/apr1.h"

#include <algorithm>
#include <array>
#include <cstdint>

#include "ssxrver/base/bytes.h"
#include "ssxrver/crypt/md5.h"

namespace ssx::crypt {
namespace {

constexpr int kRounds = 1000;
constexpr std::string_view kLetters =
    "./0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/// Six bits a letter, the lowest first.
void append_letters(std::string& out, std::uint32_t bits, int count) {
  for (; count > 0; --count, bits >>= 6) out += kLetters[bits & 0x3F];
}

/// The first hash. Its odd parts are how the scheme was defined.
Md5::Digest start(std::string_view password, std::string_view salt) {
  Md5 inner;
  inner.update(as_bytes(password));
  inner.update(as_bytes(salt));
  inner.update(as_bytes(password));
  const Md5::Digest inside = inner.finish();

  Md5 outer;
  outer.update(as_bytes(password));
  outer.update(as_bytes(kApr1Prefix));
  outer.update(as_bytes(salt));
  for (std::size_t left = password.size(); left > 0; left -= std::min(left, inside.size()))
    outer.update(ByteView(inside).first(std::min(left, inside.size())));
  for (std::size_t size = password.size(); size != 0; size >>= 1) {
    constexpr std::string_view kZero("\0", 1);
    outer.update(as_bytes((size & 1) != 0 ? kZero : password.substr(0, 1)));
  }
  return outer.finish();
}

}  // namespace

std::string apr1(std::string_view password, std::string_view salt) {
  Md5::Digest hash = start(password, salt);
  for (int round = 0; round < kRounds; ++round) {
    Md5 next;
    const bool is_odd = round % 2 != 0;
    next.update(is_odd ? as_bytes(password) : ByteView(hash));
    if (round % 3 != 0) next.update(as_bytes(salt));
    if (round % 7 != 0) next.update(as_bytes(password));
    next.update(is_odd ? ByteView(hash) : as_bytes(password));
    hash = next.finish();
  }
  const auto at = [&hash](std::size_t i) { return std::to_integer<std::uint32_t>(hash[i]); };
  std::string out;
  constexpr std::array<std::array<std::size_t, 3>, 5> kOrder = {
      {{0, 6, 12}, {1, 7, 13}, {2, 8, 14}, {3, 9, 15}, {4, 10, 5}}};
  for (const auto& [high, middle, low] : kOrder)
    append_letters(out, at(high) << 16 | at(middle) << 8 | at(low), 4);
  append_letters(out, at(11), 2);
  return out;
}

}  // namespace ssx::crypt
