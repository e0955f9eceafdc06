#include "ssxrver/log/crash.h"

#include <array>
#include <atomic>
#include <csignal>
#include <cstddef>

#include "ssxrver/sys/process.h"

namespace ssx::log {
namespace {

struct Entry {
  int signal;
  const char* name;
};
constexpr std::array<Entry, 5> kSignals{{{SIGSEGV, "SIGSEGV"},
                                         {SIGBUS, "SIGBUS"},
                                         {SIGILL, "SIGILL"},
                                         {SIGFPE, "SIGFPE"},
                                         {SIGABRT, "SIGABRT"}}};

// A signal handler has no other way to reach anything.
std::atomic<const CrashHooks*> hooks{nullptr};
std::atomic<int> crash_signal{0};
std::atomic<int> crash_thread{0};
std::atomic<std::uintptr_t> crash_address{0};
std::atomic<bool> raw_written{false};
std::array<struct sigaction, kSignals.size()> before;

void raise_again(int signal) noexcept {
  for (std::size_t i = 0; i < kSignals.size(); ++i) {
    if (kSignals[i].signal != signal) continue;
    static_cast<void>(sys::set_signal_action(signal, before[i]));
    // Blocked while this handler runs: it arrives when the handler returns. A fault would come back
    // by itself, but a signal that somebody sent would not.
    static_cast<void>(std::raise(signal));
  }
}

/// Counts as one attempt, whichever thread makes it: lines must not be written twice.
void write_raw(const CrashHooks& with) noexcept {
  if (!raw_written.exchange(true)) with.write_raw(with.context);
}

void on_crash(int signal, siginfo_t* information, void*) noexcept {
  const int saved_errno = errno;
  const CrashHooks* const with = hooks.load(std::memory_order_acquire);
  if (with != nullptr) {
    const int self = sys::thread_id();
    int none = 0;
    if (crash_signal.compare_exchange_strong(none, signal)) {
      crash_thread.store(self);
      crash_address.store(
          signal == SIGABRT ? 0 : reinterpret_cast<std::uintptr_t>(information->si_addr));
    }
    if (self == with->back_end_thread) {
      write_raw(*with);
      with->finished->ring();  // another thread may be waiting for us
    } else {
      with->wake->ring();
      if (!with->finished->wait(kCrashWait)) write_raw(*with);
    }
  }
  raise_again(signal);
  errno = saved_errno;
}

}  // namespace

Result<void> install_crash_handler(const CrashHooks& with) {
  crash_signal.store(0);
  raw_written.store(false);
  hooks.store(&with, std::memory_order_release);
  struct sigaction action {};
  action.sa_sigaction = on_crash;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  sigfillset(&action.sa_mask);
  for (std::size_t i = 0; i < kSignals.size(); ++i) {
    auto previous = sys::set_signal_action(kSignals[i].signal, action);
    if (previous) {
      before[i] = *previous;
      continue;
    }
    while (i-- > 0) static_cast<void>(sys::set_signal_action(kSignals[i].signal, before[i]));
    hooks.store(nullptr);
    return fail(previous.error());
  }
  return {};
}

void remove_crash_handler() noexcept {
  if (hooks.load() == nullptr) return;
  for (std::size_t i = 0; i < kSignals.size(); ++i) {
    static_cast<void>(sys::set_signal_action(kSignals[i].signal, before[i]));
  }
  hooks.store(nullptr, std::memory_order_release);
}

Crash pending_crash() noexcept {
  return {.signal = crash_signal.load(std::memory_order_relaxed),
          .thread = crash_thread.load(std::memory_order_relaxed),
          .address = crash_address.load(std::memory_order_relaxed)};
}

const char* signal_name(int signal) noexcept {
  for (const Entry& entry : kSignals) {
    if (entry.signal == signal) return entry.name;
  }
  return "signal";
}

}  // namespace ssx::log
