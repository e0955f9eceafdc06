// The scans of scan.h as code that is inlined into the parser, once per instruction set.
//
// Thread: pure functions
// Owner:  -
// Life:   -
// Bounds: reads [floor, last) or [first, end) only
//
// The CPU is asked at run time (best_isa), so nothing here may be compiled with -mavx2 for a whole
// file: functions shared with other files would then carry instructions an older CPU lacks. Every
// function that uses them says so by itself, and is called from functions that say the same.
//
// `floor` <= first is the lowest byte that may be read: when fewer than 16 bytes are left, a skip
// loads the last 16 before `last` instead and forgets those before `first`. `end` >= last is where
// the readable bytes end.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "ssxrver/base/isa.h"

#if defined(SSX_X86_SIMD)
#include <immintrin.h>
#define SSX_HTTP_X86 1
#endif

namespace ssx::http::scan {

// Which of the three sets a byte belongs to.
inline constexpr std::uint8_t kToken = 1;
inline constexpr std::uint8_t kTarget = 2;
inline constexpr std::uint8_t kValue = 4;
/// The target set without "%" and "?", where the parser has to act.
inline constexpr std::uint8_t kPlain = 8;

constexpr bool contains(const char* set, unsigned byte) noexcept {
  for (; *set != '\0'; ++set) {
    if (static_cast<unsigned char>(*set) == byte) return true;
  }
  return false;
}

constexpr std::uint8_t classify(unsigned byte) noexcept {
  const bool alnum =
      (byte >= '0' && byte <= '9') || (byte >= 'A' && byte <= 'Z') || (byte >= 'a' && byte <= 'z');
  const bool vchar = byte > 0x20 && byte < 0x7F;
  const bool token = alnum || contains("!#$%&'*+-.^_`|~", byte);
  const bool target = vchar && !contains("\"#<>\\", byte);
  const bool value = vchar || byte == ' ' || byte == '\t' || byte >= 0x80;
  const bool plain = target && byte != '%' && byte != '?';
  return static_cast<std::uint8_t>((token ? kToken : 0) | (target ? kTarget : 0) |
                                   (value ? kValue : 0) | (plain ? kPlain : 0));
}

inline constexpr auto kClasses = [] {
  std::array<std::uint8_t, 256> classes{};
  for (unsigned byte = 0; byte < classes.size(); ++byte) classes[byte] = classify(byte);
  return classes;
}();

[[nodiscard]] constexpr bool is(std::uint8_t set, char byte) noexcept {
  return (kClasses[static_cast<unsigned char>(byte)] & set) != 0;
}

struct Scalar {
  template <std::uint8_t kSet>
  [[gnu::always_inline]] static const char* skip(const char*, const char* first,
                                                 const char* last) noexcept {
    while (first != last && is(kSet, *first)) ++first;
    return first;
  }

  static bool is_plain_path(const char* first, const char* last, const char*) noexcept {
    for (; last - first >= 2; ++first) {
      if (first[0] == '/' && (first[1] == '/' || first[1] == '.')) return false;
    }
    return true;
  }
};

#if defined(SSX_HTTP_X86)

// A set of ASCII bytes as two 16-entry tables, for PSHUFB: a byte is in the set when the entry of
// its low nibble has the bit of its high nibble. Bytes above 0x7F find 0 by themselves.
template <std::uint8_t kSet>
inline constexpr auto kLowNibbles = [] {
  std::array<std::uint8_t, 16> low{};
  for (unsigned byte = 0; byte < 128; ++byte) {
    if ((kClasses[byte] & kSet) != 0) {
      low[byte & 15] = static_cast<std::uint8_t>(low[byte & 15] | 1U << (byte >> 4));
    }
  }
  return low;
}();
inline constexpr std::array<std::uint8_t, 16> kHighNibbles = {1, 2, 4, 8, 16, 32, 64, 128};

#define SSX_SSSE3 [[gnu::target("ssse3"), gnu::always_inline]] static inline
#define SSX_AVX2 [[gnu::target("avx2,bmi"), gnu::always_inline]] static inline

struct Ssse3 {
  // One bit for each of the 16 bytes that is not in the set.
  template <std::uint8_t kSet>
  SSX_SSSE3 unsigned outside(const char* at) noexcept {
    const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(at));
    if constexpr (kSet == kValue) {
      const __m128i above = _mm_cmpeq_epi8(_mm_max_epu8(bytes, _mm_set1_epi8(0x20)), bytes);
      const __m128i tab = _mm_cmpeq_epi8(bytes, _mm_set1_epi8('\t'));
      const __m128i del = _mm_cmpeq_epi8(bytes, _mm_set1_epi8(0x7F));
      const __m128i good = _mm_andnot_si128(del, _mm_or_si128(above, tab));
      return static_cast<unsigned>(_mm_movemask_epi8(good)) ^ 0xFFFFU;
    } else {
      const auto* tables = reinterpret_cast<const __m128i*>(kLowNibbles<kSet>.data());
      const auto* bits = reinterpret_cast<const __m128i*>(kHighNibbles.data());
      const __m128i low = _mm_shuffle_epi8(_mm_loadu_si128(tables), bytes);
      const __m128i nibble = _mm_and_si128(_mm_srli_epi16(bytes, 4), _mm_set1_epi8(15));
      const __m128i high = _mm_shuffle_epi8(_mm_loadu_si128(bits), nibble);
      const __m128i bad = _mm_cmpeq_epi8(_mm_and_si128(low, high), _mm_setzero_si128());
      return static_cast<unsigned>(_mm_movemask_epi8(bad));
    }
  }

  template <std::uint8_t kSet>
  [[gnu::noinline]] static const char* skip_few(const char* first, const char* last) noexcept {
    return Scalar::skip<kSet>(first, first, last);
  }

  // The rest, shorter than one load.
  template <std::uint8_t kSet>
  SSX_SSSE3 const char* tail(const char* floor, const char* first, const char* last) noexcept {
    if (last - floor < 16) [[unlikely]]
      return skip_few<kSet>(first, last);
    const auto before = static_cast<unsigned>(16 - (last - first));
    const unsigned bad = outside<kSet>(last - 16) >> before;
    return bad == 0 ? last : first + std::countr_zero(bad);
  }

  template <std::uint8_t kSet>
  SSX_SSSE3 const char* skip(const char* floor, const char* first, const char* last) noexcept {
    for (; last - first >= 16; first += 16) {
      if (const unsigned bad = outside<kSet>(first); bad != 0) return first + std::countr_zero(bad);
    }
    return tail<kSet>(floor, first, last);
  }

  // One bit for each of 16 bytes that is "/" and stands before "/" or "."; reads 17 bytes.
  SSX_SSSE3 unsigned slashes_before_slash_or_dot(const char* at) noexcept {
    const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(at));
    const __m128i next = _mm_loadu_si128(reinterpret_cast<const __m128i*>(at + 1));
    const __m128i slash = _mm_cmpeq_epi8(bytes, _mm_set1_epi8('/'));
    const __m128i next_slash = _mm_cmpeq_epi8(next, _mm_set1_epi8('/'));
    const __m128i next_dot = _mm_cmpeq_epi8(next, _mm_set1_epi8('.'));
    const __m128i found = _mm_and_si128(slash, _mm_or_si128(next_slash, next_dot));
    return static_cast<unsigned>(_mm_movemask_epi8(found));
  }

  SSX_SSSE3 bool is_plain_path(const char* first, const char* last, const char* end) noexcept {
    for (; last - first >= 17; first += 16) {
      if (slashes_before_slash_or_dot(first) != 0) return false;
    }
    if (end - first < 17) return Scalar::is_plain_path(first, last, end);
    // Pairs that begin before the last byte of the path count, those behind it do not.
    if (first == last) return true;
    const unsigned pairs = (1U << (last - first - 1)) - 1;
    return (slashes_before_slash_or_dot(first) & pairs) == 0;
  }
};

// Names and targets are short: 16 bytes at a time is best for them here too.
struct Avx2 {
  SSX_AVX2 bool is_plain_path(const char* first, const char* last, const char* end) noexcept {
    return Ssse3::is_plain_path(first, last, end);
  }

  // One bit for each of the 32 bytes that no field value holds.
  SSX_AVX2 unsigned outside(const char* at) noexcept {
    const __m256i bytes = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(at));
    const __m256i above = _mm256_cmpeq_epi8(_mm256_max_epu8(bytes, _mm256_set1_epi8(0x20)), bytes);
    const __m256i tab = _mm256_cmpeq_epi8(bytes, _mm256_set1_epi8('\t'));
    const __m256i del = _mm256_cmpeq_epi8(bytes, _mm256_set1_epi8(0x7F));
    const __m256i good = _mm256_andnot_si256(del, _mm256_or_si256(above, tab));
    return ~static_cast<unsigned>(_mm256_movemask_epi8(good));
  }

  template <std::uint8_t kSet>
  SSX_AVX2 const char* skip(const char* floor, const char* first, const char* last) noexcept {
    if constexpr (kSet == kValue) {
      unsigned bad = 0;
      for (; last - first >= 32; first += 32) {
        bad = outside(first);
        if (bad != 0) break;
      }
      // Said by hand: where this is inlined into a parser, GCC 12 calls others before it says so,
      // and some CPUs then stop for a hundred cycles at the next instruction of SSE.
      _mm256_zeroupper();
      if (bad != 0) return first + std::countr_zero(bad);
    }
    return Ssse3::skip<kSet>(floor, first, last);
  }
};

#undef SSX_SSSE3
#undef SSX_AVX2

#endif  // SSX_HTTP_X86

}  // namespace ssx::http::scan
