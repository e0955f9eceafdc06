// Makes the kernel itself answer a system call of this process with an error, by a seccomp filter.
// For a child process: there is no way back.
#pragma once

#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstddef>
#include <cstdint>

namespace ssx::sys {

/// Runs `body` in a child process and returns its exit code; -1 when a signal ended it.
template <class Body>
int in_child(Body body) {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(body());
  int status = 0;
  if (::waitpid(child, &status, 0) != child) return -1;
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/// What a child answers when the system has no seccomp filters.
inline constexpr int kNoFilters = 77;

/// Calls of `number` whose third argument has one of the `flags` (0: all of them) fail with
/// `error`.
inline bool refuse_call(long number, std::uint32_t flags, int error) {
  const auto answer = SECCOMP_RET_ERRNO | static_cast<std::uint32_t>(error);
  const auto third = offsetof(seccomp_data, args) + 2 * sizeof(std::uint64_t);  // its low half
  const std::uint8_t else_pass = flags == 0 ? 0 : 1;
  std::array<sock_filter, 6> filter{{
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, static_cast<std::uint32_t>(number), 0, 3),
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, third),
      BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, flags, 0, else_pass),
      BPF_STMT(BPF_RET | BPF_K, answer),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  }};
  const sock_fprog program{.len = filter.size(), .filter = filter.data()};
  return ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
         ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

}  // namespace ssx::sys
