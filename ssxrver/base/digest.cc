#include "ssxrver/base/digest.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace ssx {
namespace internal {
namespace {

constexpr std::array<std::uint32_t, 64> kSha256Constants = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

using Sha1State = std::array<std::uint32_t, Sha1Core::kWords>;

// FIPS 180-4 6.1.2: twenty rounds with the same function. Five at a time, so that the letters
// change their names and not their places.
template <class Mix>
[[gnu::always_inline]] inline void twenty_rounds(Sha1State& state, const std::uint32_t* words,
                                                 Mix mix) noexcept {
  auto [a, b, c, d, e] = state;
  const auto round = [&mix](std::uint32_t p, std::uint32_t& q, std::uint32_t r, std::uint32_t s,
                            std::uint32_t& t, std::uint32_t word) {
    t += std::rotl(p, 5) + mix(q, r, s) + word;
    q = std::rotl(q, 30);
  };
  for (std::size_t i = 0; i < 20; i += 5) {
    round(a, b, c, d, e, words[i]);
    round(e, a, b, c, d, words[i + 1]);
    round(d, e, a, b, c, words[i + 2]);
    round(c, d, e, a, b, words[i + 3]);
    round(b, c, d, e, a, words[i + 4]);
  }
  state = {a, b, c, d, e};
}

}  // namespace

void Sha1Core::add(std::array<std::uint32_t, kWords>& state, const std::byte* block) noexcept {
  std::array<std::uint32_t, 80> words;
  for (std::size_t i = 0; i < 16; ++i) words[i] = load_big_endian<std::uint32_t>(block + 4 * i);
  for (std::size_t i = 16; i < words.size(); ++i) {
    words[i] = std::rotl(words[i - 3] ^ words[i - 8] ^ words[i - 14] ^ words[i - 16], 1);
  }
  // 4.1.1 and 4.2.1: the functions and their constants.
  const auto parity = [](std::uint32_t constant) {
    return [constant](std::uint32_t b, std::uint32_t c, std::uint32_t d) {
      return (b ^ c ^ d) + constant;
    };
  };
  const auto choice = [](std::uint32_t b, std::uint32_t c, std::uint32_t d) {
    return ((b & c) | (~b & d)) + 0x5a827999;
  };
  const auto majority = [](std::uint32_t b, std::uint32_t c, std::uint32_t d) {
    return ((b & c) | (b & d) | (c & d)) + 0x8f1bbcdc;
  };
  Sha1State mixed = state;
  twenty_rounds(mixed, &words[0], choice);
  twenty_rounds(mixed, &words[20], parity(0x6ed9eba1));
  twenty_rounds(mixed, &words[40], majority);
  twenty_rounds(mixed, &words[60], parity(0xca62c1d6));
  for (std::size_t i = 0; i < state.size(); ++i) state[i] += mixed[i];
}

void Sha256Core::add(std::array<std::uint32_t, kWords>& state, const std::byte* block) noexcept {
  std::array<std::uint32_t, 64> words;
  for (std::size_t i = 0; i < 16; ++i) words[i] = load_big_endian<std::uint32_t>(block + 4 * i);
  for (std::size_t i = 16; i < words.size(); ++i) {
    const std::uint32_t x = words[i - 15], y = words[i - 2];
    const std::uint32_t s0 = std::rotr(x, 7) ^ std::rotr(x, 18) ^ (x >> 3);
    const std::uint32_t s1 = std::rotr(y, 17) ^ std::rotr(y, 19) ^ (y >> 10);
    words[i] = words[i - 16] + s0 + words[i - 7] + s1;
  }
  auto [a, b, c, d, e, f, g, h] = state;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::uint32_t s1 = std::rotr(e, 6) ^ std::rotr(e, 11) ^ std::rotr(e, 25);
    const std::uint32_t choice = (e & f) ^ (~e & g);
    const std::uint32_t t1 = h + s1 + choice + kSha256Constants[i] + words[i];
    const std::uint32_t s0 = std::rotr(a, 2) ^ std::rotr(a, 13) ^ std::rotr(a, 22);
    const std::uint32_t majority = (a & b) ^ (a & c) ^ (b & c);
    h = g, g = f, f = e, e = d + t1, d = c, c = b, b = a, a = t1 + s0 + majority;
  }
  state = {state[0] + a, state[1] + b, state[2] + c, state[3] + d,
           state[4] + e, state[5] + f, state[6] + g, state[7] + h};
}

template class BlockHash<Sha1Core>;
template class BlockHash<Sha256Core>;

}  // namespace internal

HmacSha256::HmacSha256(ByteView key) noexcept {
  std::array<std::byte, 64> pad{};
  if (key.size() > pad.size()) {
    std::ranges::copy(Sha256::of(key), pad.begin());
  } else {
    std::ranges::copy(key, pad.begin());
  }
  for (std::byte& byte : pad) byte ^= std::byte{0x36};
  inner_.update(pad);
  for (std::byte& byte : pad) byte ^= std::byte{0x36 ^ 0x5c};
  outer_.update(pad);
}

HmacSha256::Digest HmacSha256::of(ByteView key, ByteView bytes) noexcept {
  HmacSha256 hmac(key);
  hmac.update(bytes);
  return hmac.finish();
}

HmacSha256::Digest HmacSha256::finish() noexcept {
  outer_.update(inner_.finish());
  return outer_.finish();
}

bool equal_in_constant_time(ByteView left, ByteView right) noexcept {
  if (left.size() != right.size()) return false;
  // Volatile: an optimiser that saw the first difference decide would stop there.
  volatile unsigned char difference = 0;
  for (std::size_t i = 0; i < left.size(); ++i) {
    difference =
        static_cast<unsigned char>(difference | std::to_integer<unsigned char>(left[i] ^ right[i]));
  }
  return difference == 0;
}

}  // namespace ssx
