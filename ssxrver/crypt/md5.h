// MD5 (RFC 1321), for password files that were made with it long ago. Nothing else may use it.
//
// Thread: values, any thread
// Owner:  whoever holds them; no allocation
// Life:   update() as often as one likes, then finish() once
// Bounds: 2^61 - 1 bytes
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "ssxrver/base/bytes.h"

namespace ssx::crypt {

class Md5 {
 public:
  using Digest = std::array<std::byte, 16>;

  void update(ByteView bytes) noexcept;
  [[nodiscard]] Digest finish() noexcept;

 private:
  void add(const std::byte* block) noexcept;

  std::array<std::uint32_t, 4> state_ = {0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476};
  std::uint64_t size_ = 0;
  std::array<std::byte, 64> block_;
};

}  // namespace ssx::crypt
