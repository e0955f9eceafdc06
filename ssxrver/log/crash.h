// What happens to the last lines when the process crashes.
//
// The handler sets an atomic, rings for the back end and waits at most kCrashWait; the back end
// writes everything out and rings back. Then the signal is raised again with its action from
// before. When the back end is the thread that crashed, or does not answer, the handler itself
// writes what is left, unformatted (raw_writer.h).
//
// Thread: install() and remove() one thread; the handler any
// Owner:  AsyncBackend
// Life:   one set of hooks at a time
// Bounds: kCrashWait; the handler allocates nothing and takes no lock
#pragma once

#include <chrono>
#include <cstdint>

#include "ssxrver/base/result.h"
#include "ssxrver/log/doorbell.h"

namespace ssx::log {

inline constexpr std::chrono::milliseconds kCrashWait{1000};

struct Crash {
  int signal = 0;  ///< 0: none
  int thread = 0;
  std::uintptr_t address = 0;  ///< of the access that faulted; 0 for an abort
};

struct CrashHooks {
  const Doorbell* wake;      ///< the back end's
  const Doorbell* finished;  ///< rung by the back end when all is written
  int back_end_thread;
  void (*write_raw)(void* context) noexcept;
  void* context;
};

/// For SIGSEGV, SIGBUS, SIGILL, SIGFPE and SIGABRT. `hooks` must live until remove_crash_handler().
Result<void> install_crash_handler(const CrashHooks& hooks);
/// Back to the actions from before.
void remove_crash_handler() noexcept;

/// The first crash, for the back end to ask now and then.
[[nodiscard]] Crash pending_crash() noexcept;

/// "SIGSEGV"
[[nodiscard]] const char* signal_name(int signal) noexcept;

}  // namespace ssx::log
