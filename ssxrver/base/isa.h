// Which vector instructions this CPU has, for code that stands there once for each of them.
//
// Thread: pure functions
// Owner:  -
// Life:   -
// Bounds: -
//
// SSX_NO_SIMD (option SSX_SIMD of CMake) leaves all of it out, for programs that must be small.
#pragma once

#include <cstdint>

#if defined(__x86_64__) && !defined(SSX_NO_SIMD)
#define SSX_X86_SIMD 1
#endif

namespace ssx {

/// Each has those before it. kAvx2 stands for AVX2 and BMI.
enum class Isa : std::uint8_t { kScalar, kSsse3, kAvx2 };

/// The best of them that this CPU has.
[[nodiscard]] inline Isa best_isa() noexcept {
#if defined(SSX_X86_SIMD)
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi")) return Isa::kAvx2;
  if (__builtin_cpu_supports("ssse3")) return Isa::kSsse3;
#endif
  return Isa::kScalar;
}

}  // namespace ssx
