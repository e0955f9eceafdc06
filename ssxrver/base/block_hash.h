// How bytes that come in pieces become blocks of 64 bytes, and their number the padding of the last
// one: what MD5, SHA-1 and SHA-256 share (RFC 1321 3, FIPS 180-4 5). (i)
//
// Thread: values, any thread
// Owner:  whoever holds them; no allocation
// Life:   update() as often as one likes, then finish() once
// Bounds: 2^61 - 1 bytes
//
// A Core has kOrder (of the bytes in its words), kWords, kStart and add(state, block).
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "ssxrver/base/bytes.h"

namespace ssx::internal {

template <class Core>
class BlockHash {
 public:
  using Digest = std::array<std::byte, Core::kWords * 4>;

  /// The hash of one piece.
  [[nodiscard]] static Digest of(ByteView bytes) noexcept {
    BlockHash hash;
    hash.update(bytes);
    return hash.finish();
  }
  void update(ByteView bytes) noexcept;
  [[nodiscard]] Digest finish() noexcept;

 private:
  template <class T>
  static void store(std::byte* to, T value) noexcept {
    if constexpr (Core::kOrder == std::endian::big) return store_big_endian(to, value);
    for (std::size_t i = 0; i < sizeof value; ++i) to[i] = static_cast<std::byte>(value >> 8 * i);
  }

  std::array<std::uint32_t, Core::kWords> state_ = Core::kStart;
  std::uint64_t size_ = 0;
  std::array<std::byte, 64> block_;
};

template <class Core>
void BlockHash<Core>::update(ByteView bytes) noexcept {
  if (bytes.empty()) return;
  // Invariant: block_[0, size_ % 64) waits for the rest of its block.
  const std::size_t waiting = size_ % block_.size();
  size_ += bytes.size();
  if (waiting != 0) {
    const std::size_t taken = std::min(block_.size() - waiting, bytes.size());
    std::memcpy(block_.data() + waiting, bytes.data(), taken);
    bytes = bytes.subspan(taken);
    if (waiting + taken < block_.size()) return;
    Core::add(state_, block_.data());
  }
  for (; bytes.size() >= block_.size(); bytes = bytes.subspan(block_.size())) {
    Core::add(state_, bytes.data());
  }
  if (!bytes.empty()) std::memcpy(block_.data(), bytes.data(), bytes.size());
}

template <class Core>
typename BlockHash<Core>::Digest BlockHash<Core>::finish() noexcept {
  std::array<std::byte, 72> tail{std::byte{0x80}};
  const std::size_t waiting = size_ % block_.size();
  const std::size_t zeros = (waiting < 56 ? 56 : 120) - waiting;
  store(tail.data() + zeros, size_ * 8);
  update({tail.data(), zeros + 8});
  Digest digest;
  for (std::size_t i = 0; i < Core::kWords; ++i) store(digest.data() + 4 * i, state_[i]);
  return digest;
}

}  // namespace ssx::internal
