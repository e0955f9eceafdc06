#include "websocket/utf8.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>

#if defined(SSX_X86_SIMD)
#include <immintrin.h>
#endif

namespace ssx::websocket {
namespace {

/// Bytes at the end of `text` that begin a character and are too few for it: 0 .. 3. What is no
/// character at all, whoever looks at it will say.
std::size_t cut_off(std::string_view text) noexcept {
  for (std::size_t back = 1; back <= std::min<std::size_t>(text.size(), 3); ++back) {
    const auto byte = static_cast<unsigned char>(text[text.size() - back]);
    if ((byte & 0xC0) == 0x80) continue;
    const std::size_t size = byte < 0xC0 ? 1 : byte < 0xE0 ? 2 : byte < 0xF0 ? 3 : 4;
    return size > back ? back : 0;
  }
  return 0;
}

constexpr std::uint64_t kHighBits = 0x8080808080808080;

std::uint64_t load_word(const char* from) noexcept {
  std::uint64_t word;
  std::memcpy(&word, from, sizeof word);
  return word;
}

constexpr std::size_t kAsciiFirst = 128;

/// For short texts, most of which are nothing else.
bool is_ascii(std::string_view text) noexcept {
  constexpr std::size_t kWord = sizeof(std::uint64_t);
  std::uint64_t seen = 0;
  if (text.size() < kWord) {
    for (const char byte : text) seen |= static_cast<unsigned char>(byte);
  } else {
    for (std::size_t i = 0; i < text.size() - kWord; i += kWord) seen |= load_word(&text[i]);
    seen |= load_word(text.data() + text.size() - kWord);
  }
  return (seen & kHighBits) == 0;
}

bool is_utf8_scalar(std::string_view text) noexcept {
  Utf8Steps steps;
  for (std::size_t i = 0; i < text.size();) {
    const bool wide = steps.complete() && text.size() - i >= sizeof kHighBits;
    if (wide && (load_word(&text[i]) & kHighBits) == 0) {
      i += sizeof kHighBits;
    } else if (!steps.take(text[i++])) {
      return false;
    }
  }
  return steps.complete();
}

#if defined(SSX_X86_SIMD)

// The method is that of Keiser and Lemire (Validating UTF-8 In Less Than One Instruction Per Byte,
// 2020). Whether two bytes may stand side by side is a question to three nibbles: both of the first
// byte and the high one of the second. Each kind of fault is one bit; it is there when all three
// have it. What two bytes cannot tell, whether a third and a fourth one belong to them, follows
// from how far back a lead byte stands.
struct Fault {
  unsigned first_high;  // sets of nibbles: bit n is nibble n
  unsigned first_low;
  unsigned second_high;
};

constexpr unsigned nibbles(unsigned from, unsigned to) noexcept {
  return (2U << to) - (1U << from);
}
constexpr unsigned kAny = nibbles(0, 15);
constexpr unsigned kContinuation = nibbles(8, 11);

constexpr std::array<Fault, 8> kFaults = {{
    {nibbles(12, 15), kAny, kAny & ~kContinuation},       // a lead with nothing behind it
    {nibbles(0, 7), kAny, kContinuation},                 // a continuation of ASCII
    {nibbles(12, 12), nibbles(0, 1), kContinuation},      // C0, C1: U+007F at the most
    {nibbles(14, 14), nibbles(0, 0), nibbles(8, 9)},      // E0 80 .. 9F: U+07FF at the most
    {nibbles(14, 14), nibbles(13, 13), nibbles(10, 11)},  // ED A0 .. BF: surrogates
    // F0 80 .. 8F: U+FFFF at the most; F5 80 .. 8F and so on: above U+10FFFF
    {nibbles(15, 15), nibbles(0, 0) | nibbles(5, 15), nibbles(8, 8)},
    {nibbles(15, 15), nibbles(4, 15), nibbles(9, 11)},  // F4 90 and so on: above U+10FFFF
    // Two continuations: right behind a lead of three or four, where it is expected, and only
    // there.
    {kContinuation, kAny, kContinuation},
}};
constexpr char kTwoContinuations = '\x80';  // the bit of the last one

using Table = std::array<std::uint8_t, 16>;

constexpr Table table_of(unsigned Fault::*set) noexcept {
  Table table{};
  for (unsigned nibble = 0; nibble < table.size(); ++nibble) {
    for (unsigned fault = 0; fault < kFaults.size(); ++fault) {
      const bool has = (kFaults[fault].*set >> nibble & 1) != 0;
      if (has) table[nibble] = static_cast<std::uint8_t>(table[nibble] | 1U << fault);
    }
  }
  return table;
}
constexpr Table kFirstHigh = table_of(&Fault::first_high);
constexpr Table kFirstLow = table_of(&Fault::first_low);
constexpr Table kSecondHigh = table_of(&Fault::second_high);

// The highest values of the last three bytes with which nothing is missing behind them.
constexpr std::array<std::uint8_t, 32> kEndMax = [] {
  std::array<std::uint8_t, 32> most{};
  most.fill(0xFF);
  most[29] = 0xEF, most[30] = 0xDF, most[31] = 0xBF;
  return most;
}();

// Only these functions carry the instructions, so that a CPU without them never meets one.
#define SSX_AVX2 [[gnu::target("avx2"), gnu::always_inline]] static inline

struct Avx2 {
  __m256i previous;
  __m256i faults;

  SSX_AVX2 __m256i load(const char* from) noexcept {
    return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from));
  }

  SSX_AVX2 __m256i look_up(const Table& table, __m256i nibbles) noexcept {
    const auto* const from = reinterpret_cast<const __m128i*>(table.data());
    return _mm256_shuffle_epi8(_mm256_broadcastsi128_si256(_mm_loadu_si128(from)), nibbles);
  }

  SSX_AVX2 __m256i high_nibbles(__m256i bytes) noexcept {
    return _mm256_and_si256(_mm256_srli_epi16(bytes, 4), _mm256_set1_epi8(15));
  }

  // Nothing but ASCII may follow, or the end.
  SSX_AVX2 void end(Avx2& state) noexcept {
    const __m256i most = load(reinterpret_cast<const char*>(kEndMax.data()));
    state.faults = _mm256_or_si256(state.faults, _mm256_subs_epu8(state.previous, most));
  }

  SSX_AVX2 void check(Avx2& state, __m256i bytes) noexcept {
    // The bytes that stand one, two and three places before each of `bytes`.
    const __m256i across = _mm256_permute2x128_si256(state.previous, bytes, 0x21);
    const __m256i back1 = _mm256_alignr_epi8(bytes, across, 15);
    const __m256i back2 = _mm256_alignr_epi8(bytes, across, 14);
    const __m256i back3 = _mm256_alignr_epi8(bytes, across, 13);

    const __m256i low = _mm256_and_si256(back1, _mm256_set1_epi8(15));
    const __m256i pairs = _mm256_and_si256(
        _mm256_and_si256(look_up(kFirstHigh, high_nibbles(back1)), look_up(kFirstLow, low)),
        look_up(kSecondHigh, high_nibbles(bytes)));

    // The high bit: E0 and above two places before, or F0 and above three places before.
    const __m256i third = _mm256_subs_epu8(back2, _mm256_set1_epi8(0xE0 - 0x80));
    const __m256i fourth = _mm256_subs_epu8(back3, _mm256_set1_epi8(0xF0 - 0x80));
    const __m256i expected =
        _mm256_and_si256(_mm256_or_si256(third, fourth), _mm256_set1_epi8(kTwoContinuations));

    state.faults = _mm256_or_si256(state.faults, _mm256_xor_si256(pairs, expected));
    state.previous = bytes;
  }
};

[[gnu::target("avx2")]] bool is_utf8_avx2(std::string_view text) noexcept {
  Avx2 state{_mm256_setzero_si256(), _mm256_setzero_si256()};
  const char* from = text.data();
  std::size_t left = text.size();
  for (; left >= 64; from += 64, left -= 64) {
    const __m256i first = Avx2::load(from);
    const __m256i second = Avx2::load(from + 32);
    if (_mm256_movemask_epi8(_mm256_or_si256(first, second)) == 0) {
      Avx2::end(state);
      state.previous = second;
    } else {
      Avx2::check(state, first);
      Avx2::check(state, second);
    }
  }
  if (left != 0 && text.size() >= 64) {
    // Some of them a second time, which finds nothing new.
    const char* const last = text.data() + text.size();
    if (left > 32) Avx2::check(state, Avx2::load(from));
    state.previous = Avx2::load(last - 64);
    Avx2::check(state, Avx2::load(last - 32));
  } else if (left != 0) {
    std::array<char, 64> rest{};
    std::memcpy(rest.data(), from, left);
    Avx2::check(state, Avx2::load(rest.data()));
    Avx2::check(state, Avx2::load(rest.data() + 32));
  }
  Avx2::end(state);
  return _mm256_testz_si256(state.faults, state.faults) != 0;
}

#undef SSX_AVX2

#endif  // SSX_X86_SIMD

}  // namespace

bool Utf8Validator::take(std::string_view bytes) noexcept {
  for (const char byte : bytes) {
    if (!steps_.take(byte)) return false;
  }
  return true;
}

bool Utf8Validator::feed(ByteView bytes, Isa isa) noexcept {
  std::size_t begin = 0;
  const std::string_view text = as_text(bytes);
  while (!failed_ && begin < text.size() && !steps_.complete()) {
    failed_ = !steps_.take(text[begin++]);
  }
  if (failed_ || begin == text.size()) return !failed_;
  const std::size_t end = text.size() - cut_off(text.substr(begin));
  failed_ = !is_utf8(bytes.subspan(begin, end - begin), isa) || !take(text.substr(end));
  return !failed_;
}

bool is_utf8(ByteView text, Isa isa) noexcept {
  if (text.size() <= kAsciiFirst && is_ascii(as_text(text))) return true;
#if defined(SSX_X86_SIMD)
  // Below that, the scalar loop is as fast.
  if (isa == Isa::kAvx2 && text.size() >= 16) return is_utf8_avx2(as_text(text));
#else
  static_cast<void>(isa);
#endif
  return is_utf8_scalar(as_text(text));
}

}  // namespace ssx::websocket
