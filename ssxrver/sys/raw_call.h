// A system call with no function of the C library in between. (i)
//
// Thread: any thread; no point of cancellation
// Owner:  -
// Life:   -
// Bounds: -
//
// On its way through the stack of protocols the kernel goes deeper than a CPU remembers returns, so
// every function that a system call is made in costs a return that is guessed wrong.
#pragma once

#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>

namespace ssx::sys::internal {

struct RawArguments {
  long first = 0;
  long second = 0;
  long third = 0;
  long fourth = 0;
  long fifth = 0;
  long sixth = 0;
};

inline long raw(const void* address) noexcept { return reinterpret_cast<std::intptr_t>(address); }

/// What the system call answers, or the errno below zero.
[[gnu::always_inline]] inline long raw_call(long number, const RawArguments& with) noexcept {
#if defined(__x86_64__)
  // Read first: a sanitizer puts a call before each access to memory, which may change a register.
  const long first = with.first;
  const long second = with.second;
  const long third = with.third;
  const long at_r10 = with.fourth;
  const long at_r8 = with.fifth;
  const long at_r9 = with.sixth;
  register long fourth asm("r10") = at_r10;
  register long fifth asm("r8") = at_r8;
  register long sixth asm("r9") = at_r9;
  long answer = number;
  asm volatile("syscall"
               : "+a"(answer)
               : "D"(first), "S"(second), "d"(third), "r"(fourth), "r"(fifth), "r"(sixth)
               : "rcx", "r11", "memory");
  return answer;
#else
  const long answer =
      ::syscall(number, with.first, with.second, with.third, with.fourth, with.fifth, with.sixth);
  return answer < 0 ? -errno : answer;
#endif
}

}  // namespace ssx::sys::internal
