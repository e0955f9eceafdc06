// System calls about this process and its threads.
//
// Thread: any thread, unless a line says otherwise
// Owner:  -
// Life:   each call stands alone
// Bounds: as the kernel's
#pragma once

#include <csignal>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "ssxrver/base/bytes.h"
#include "ssxrver/base/clock.h"
#include "ssxrver/base/result.h"

namespace ssx::sys {

[[nodiscard]] int process_id() noexcept;
[[nodiscard]] int parent_process_id() noexcept;
/// Kernel thread id, cached per thread.
[[nodiscard]] int thread_id() noexcept;
[[nodiscard]] unsigned effective_user() noexcept;

struct FileLimit {
  std::uint64_t soft;
  std::uint64_t hard;
};
Result<FileLimit> file_limit();
Result<void> set_file_limit(FileLimit limit);

/// What the threads of a process have had of the processors, those that have ended too. ESRCH when
/// there is no such process.
Result<Duration> processor_time(int process);

/// Forks, the parent exits 0, the child leads a session of its own with stdio on /dev/null.
/// Only before any thread is started. The working directory stays. An error is the caller's to
/// print: until the fork has succeeded nothing has changed.
Result<void> daemonize();
Result<void> set_umask(unsigned mask);
Result<void> kill(int process, int signal);
/// The same with a number, of a signal that queues (SIGRTMIN and above).
Result<void> queue_signal(int process, int signal, int value);
/// To one thread of this process.
Result<void> signal_thread(int thread, int signal);
/// The kernel sends `signal` to this process after `delay` (above 0), whatever its threads do
/// meanwhile. Once, and it cannot be taken back.
Result<void> signal_later(int signal, Duration delay);
/// Blocks `signals` in the calling thread and the threads it starts later.
Result<void> block_signals(const sigset_t& signals);
Result<void> ignore_signal(int signal);
/// sigaction(2); the action that stood before comes back.
Result<struct sigaction> set_signal_action(int signal, const struct sigaction& action);
/// Handlers installed with SA_ONSTACK run on `stack` in the calling thread; empty: no longer.
Result<void> set_alternate_stack(MutableBytes stack);

/// Cores that this process may run on.
Result<std::vector<unsigned>> allowed_cores();
/// Pins the calling thread. EINVAL when the core does not exist or is not allowed.
Result<void> pin_thread(unsigned core);
/// The calling thread takes no core from one that is at work when it wakes up (SCHED_BATCH), or
/// does again; threads that it starts inherit that. One whose policy is neither of the two keeps
/// it.
Result<void> wait_for_turn(bool waits);
/// Others that wait for this thread's core go first.
void yield_thread() noexcept;
/// Names the calling thread (15 bytes at the most are kept).
void name_thread(const char* name) noexcept;

/// Cryptographic bytes (getrandom).
Result<void> random_bytes(MutableBytes into);
/// Empty when unset.
[[nodiscard]] std::string environment(const char* name);
Result<void> unset_environment(const char* name);
[[nodiscard]] bool is_terminal(int fd) noexcept;

}  // namespace ssx::sys
