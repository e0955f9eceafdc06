// MD5 (RFC 1321), for password files that were made with it long ago. Nothing else may use it.
//
// Thread: values, any thread
// Owner:  whoever holds them; no allocation
// Life:   update() as often as one likes, then finish() once
// Bounds: 2^61 - 1 bytes
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "ssxrver/base/block_hash.h"

namespace ssx::crypt {

struct Md5Core {
  static constexpr std::endian kOrder = std::endian::little;
  static constexpr std::size_t kWords = 4;
  static constexpr std::array<std::uint32_t, kWords> kStart = {0x67452301, 0xefcdab89, 0x98badcfe,
                                                               0x10325476};
  static void add(std::array<std::uint32_t, kWords>& state, const std::byte* block) noexcept;
};

using Md5 = internal::BlockHash<Md5Core>;

}  // namespace ssx::crypt
