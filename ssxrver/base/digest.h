// Hashes of bytes that come in pieces: SHA-1, SHA-256 and HMAC-SHA-256.
//
// Thread: values, any thread
// Owner:  whoever holds them; no allocation
// Life:   update() as often as one likes, then finish() once
// Bounds: 2^61 - 1 bytes, as FIPS 180-4 says; the block function knows no secret-dependent branch
//
// SHA-1 is here for protocols that name it (RFC 6455 1.3); nothing that must be safe may use it.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "ssxrver/base/block_hash.h"
#include "ssxrver/base/bytes.h"

namespace ssx {

namespace internal {

struct Sha1Core {
  static constexpr std::endian kOrder = std::endian::big;
  static constexpr std::size_t kWords = 5;
  static constexpr std::array<std::uint32_t, kWords> kStart = {0x67452301, 0xefcdab89, 0x98badcfe,
                                                               0x10325476, 0xc3d2e1f0};
  static void add(std::array<std::uint32_t, kWords>& state, const std::byte* block) noexcept;
};

struct Sha256Core {
  static constexpr std::endian kOrder = std::endian::big;
  static constexpr std::size_t kWords = 8;
  static constexpr std::array<std::uint32_t, kWords> kStart = {0x6a09e667, 0xbb67ae85, 0x3c6ef372,
                                                               0xa54ff53a, 0x510e527f, 0x9b05688c,
                                                               0x1f83d9ab, 0x5be0cd19};
  static void add(std::array<std::uint32_t, kWords>& state, const std::byte* block) noexcept;
};

extern template class BlockHash<Sha1Core>;
extern template class BlockHash<Sha256Core>;

}  // namespace internal

using Sha1 = internal::BlockHash<internal::Sha1Core>;
using Sha256 = internal::BlockHash<internal::Sha256Core>;

/// RFC 2104 with SHA-256. Compare what comes out with equal_in_constant_time.
class HmacSha256 {
 public:
  using Digest = Sha256::Digest;

  explicit HmacSha256(ByteView key) noexcept;
  [[nodiscard]] static Digest of(ByteView key, ByteView bytes) noexcept;

  void update(ByteView bytes) noexcept { inner_.update(bytes); }
  [[nodiscard]] Digest finish() noexcept;

 private:
  Sha256 inner_;
  Sha256 outer_;
};

/// True when both hold the same bytes. How long it takes depends on the sizes alone, so that nobody
/// can find a secret byte by byte with a clock.
[[nodiscard]] bool equal_in_constant_time(ByteView left, ByteView right) noexcept;

}  // namespace ssx
