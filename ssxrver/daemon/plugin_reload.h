// How -s reload-plugin NAME tells a running daemon which one: a signal that carries a number.
//
// Thread: any thread
// Owner:  -
// Life:   -
// Bounds: names that share a number are reloaded together: one of 2^32
#pragma once

#include <csignal>
#include <cstdint>
#include <string_view>

namespace ssx {

[[nodiscard]] inline int reload_signal() noexcept { return SIGRTMIN; }

/// FNV-1a.
[[nodiscard]] constexpr int reload_value(std::string_view plugin) noexcept {
  std::uint32_t hash = 2166136261U;
  for (const char c : plugin) hash = (hash ^ static_cast<unsigned char>(c)) * 16777619U;
  return static_cast<int>(hash);
}

}  // namespace ssx
