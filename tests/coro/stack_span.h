// How much of the stack lies between the places that a test notes: recursion shows.
#pragma once

#include <algorithm>
#include <cstdint>

namespace ssx {

inline std::uintptr_t stack_here() {
  return reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
}

struct StackSpan {
  std::uintptr_t lowest = UINTPTR_MAX;
  std::uintptr_t highest = 0;
  void note() {
    lowest = std::min(lowest, stack_here());
    highest = std::max(highest, stack_here());
  }
  [[nodiscard]] std::uintptr_t bytes() const { return highest - lowest; }
};

}  // namespace ssx
