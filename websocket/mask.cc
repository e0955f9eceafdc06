#include "websocket/mask.h"

#include <bit>
#include <cstdint>
#include <cstring>

#if defined(SSX_X86_SIMD)
#include <immintrin.h>
#endif

namespace ssx::websocket {
namespace {

// Every step but the last has a multiple of 4 bytes, so one rotated key serves for all of them.
// Each loads before it stores, and goes forward: `to` may begin before `from`.
struct Step {
  const std::byte* from;
  std::byte* to;
  std::size_t left;

  void go(std::size_t size) noexcept { from += size, to += size, left -= size; }
};

std::uint32_t rotated(const MaskKey& key, std::size_t offset) noexcept {
  const auto word = std::bit_cast<std::uint32_t>(key);
  const auto bits = static_cast<int>(offset % sizeof key * 8);
  return std::endian::native == std::endian::little ? std::rotr(word, bits) : std::rotl(word, bits);
}

template <class Word>
[[gnu::always_inline]] inline void mask_word(Step& step, Word key) noexcept {
  Word word;
  std::memcpy(&word, step.from, sizeof word);
  word ^= key;
  std::memcpy(step.to, &word, sizeof word);
  step.go(sizeof word);
}

[[gnu::always_inline]] inline void mask_words(Step step, std::uint32_t key) noexcept {
  const std::uint64_t twice = std::uint64_t{key} << 32 | key;
#if defined(SSX_X86_SIMD)
  // Every x86-64 has SSE2, so this needs no question.
  const __m128i keys = _mm_set1_epi32(static_cast<int>(key));
  while (step.left >= sizeof keys) {
    const __m128i word = _mm_loadu_si128(reinterpret_cast<const __m128i*>(step.from));
    _mm_storeu_si128(reinterpret_cast<__m128i*>(step.to), _mm_xor_si128(word, keys));
    step.go(sizeof keys);
  }
#endif
  while (step.left >= sizeof twice) mask_word(step, twice);
  if (step.left >= sizeof key) mask_word(step, key);
  MaskKey bytes = std::bit_cast<MaskKey>(key);
  for (std::size_t i = 0; i < step.left; ++i) step.to[i] = step.from[i] ^ bytes[i];
}

#if defined(SSX_X86_SIMD)
// From here on it pays that no store crosses a line of the cache. A fifth, when it lies there.
constexpr std::size_t kAlignFrom = 4096;

std::uint32_t align(Step& step, std::uint32_t key) noexcept {
  const std::size_t head = -reinterpret_cast<std::uintptr_t>(step.to) % sizeof(__m256i);
  mask_words({step.from, step.to, head}, key);
  step.go(head);
  return rotated(std::bit_cast<MaskKey>(key), head);
}

// Only this function carries the instructions, so that a CPU without them never meets one.
[[gnu::target("avx2")]] void mask_avx2(Step step, std::uint32_t key) noexcept {
  const __m256i keys = _mm256_set1_epi32(static_cast<int>(key));
  while (step.left >= 128) {
    const auto* const from = reinterpret_cast<const __m256i*>(step.from);
    auto* const to = reinterpret_cast<__m256i*>(step.to);
    const __m256i a = _mm256_xor_si256(_mm256_loadu_si256(from), keys);
    const __m256i b = _mm256_xor_si256(_mm256_loadu_si256(from + 1), keys);
    const __m256i c = _mm256_xor_si256(_mm256_loadu_si256(from + 2), keys);
    const __m256i d = _mm256_xor_si256(_mm256_loadu_si256(from + 3), keys);
    _mm256_storeu_si256(to, a);
    _mm256_storeu_si256(to + 1, b);
    _mm256_storeu_si256(to + 2, c);
    _mm256_storeu_si256(to + 3, d);
    step.go(128);
  }
  while (step.left >= 32) {
    const __m256i word = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(step.from));
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(step.to), _mm256_xor_si256(word, keys));
    step.go(32);
  }
  mask_words(step, key);
}
#endif

}  // namespace

void apply_mask(MutableBytes bytes, const MaskKey& key, std::size_t offset, Isa isa) noexcept {
  copy_masked(bytes, bytes.data(), key, offset, isa);
}

void copy_masked(ByteView from, std::byte* to, const MaskKey& key, std::size_t offset,
                 Isa isa) noexcept {
  Step step{from.data(), to, from.size()};
  std::uint32_t word = rotated(key, offset);
#if defined(SSX_X86_SIMD)
  // Below that, words are as fast.
  if (isa == Isa::kAvx2 && step.left >= 128) {
    if (step.left >= kAlignFrom) word = align(step, word);
    return mask_avx2(step, word);
  }
#else
  static_cast<void>(isa);
#endif
  mask_words(step, word);
}

}  // namespace ssx::websocket
