// Views of bytes, and integers in network order.
//
// Thread: values
// Owner:  a view owns nothing; it dies with the memory it looks at
// Life:   as stated where it is handed out
// Bounds: none of its own
#pragma once

#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>

namespace ssx {

using ByteView = std::span<const std::byte>;
using MutableBytes = std::span<std::byte>;

inline ByteView as_bytes(std::string_view text) noexcept {
  return {reinterpret_cast<const std::byte*>(text.data()), text.size()};
}
inline std::string_view as_text(ByteView bytes) noexcept {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

namespace internal {
template <std::unsigned_integral T>
constexpr T swap_to_network(T value) noexcept {
  if constexpr (std::endian::native == std::endian::big || sizeof(T) == 1) return value;
  if constexpr (sizeof(T) == 2) return __builtin_bswap16(value);
  if constexpr (sizeof(T) == 4) return __builtin_bswap32(value);
  if constexpr (sizeof(T) == 8) return __builtin_bswap64(value);
}
}  // namespace internal

/// Reads a big-endian integer. `from` must hold sizeof(T) bytes.
template <std::unsigned_integral T>
T load_big_endian(const std::byte* from) noexcept {
  T value;
  std::memcpy(&value, from, sizeof value);
  return internal::swap_to_network(value);
}

/// Writes a big-endian integer. `to` must hold sizeof(T) bytes.
template <std::unsigned_integral T>
void store_big_endian(std::byte* to, T value) noexcept {
  value = internal::swap_to_network(value);
  std::memcpy(to, &value, sizeof value);
}

}  // namespace ssx
