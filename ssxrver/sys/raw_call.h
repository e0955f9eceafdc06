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
  register long fourth asm("r10") = with.fourth;
  register long fifth asm("r8") = with.fifth;
  register long sixth asm("r9") = with.sixth;
  long answer = number;
  asm volatile("syscall"
               : "+a"(answer)
               : "D"(with.first), "S"(with.second), "d"(with.third), "r"(fourth), "r"(fifth),
                 "r"(sixth)
               : "rcx", "r11", "memory");
  return answer;
#else
  const long answer =
      ::syscall(number, with.first, with.second, with.third, with.fourth, with.fifth, with.sixth);
  return answer < 0 ? -errno : answer;
#endif
}

}  // namespace ssx::sys::internal
